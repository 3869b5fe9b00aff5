/* The menu of a narrow screen. A button shows and hides it, and choosing an item hides it. */
(function () {
    'use strict';
    function shift(open) {
        document.querySelectorAll('[data-toggle="wy-nav-shift"]').forEach(function (part) {
            part.classList.toggle('shift', open);
        });
    }
    document.querySelectorAll('[data-toggle="wy-nav-top"]').forEach(function (button) {
        button.setAttribute('role', 'button');
        button.setAttribute('tabindex', '0');
        button.setAttribute('aria-label', 'Menu');
        button.addEventListener('click', function () { shift(undefined); });
        button.addEventListener('keydown', function (event) {
            if (event.key === 'Enter' || event.key === ' ') {
                event.preventDefault();
                shift(undefined);
            }
        });
    });
    document.querySelectorAll('.wy-menu-vertical a').forEach(function (link) {
        link.addEventListener('click', function () { shift(false); });
    });
}());
