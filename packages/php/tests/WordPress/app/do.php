<?php

declare(strict_types=1);

/* Runs one case of the test. The test compares the result with that of a WordPress without object cache. */

function do_it(string $what): mixed
{
    require_once ABSPATH . 'wp-admin/includes/admin.php';
    return match ($what) {
        'seed' => seed(),
        'edit' => edit(),
        'schedule' => schedule(),
        'options' => options(),
        'cache' => cache_functions(),
        'network' => network(),
        'sites' => sites(),
        'count' => [(bool) wp_using_ext_object_cache(), $GLOBALS['wpdb']->num_queries],
        'flush' => wp_cache_flush(),
        'keep' => keep(),
        'kept' => kept(),
    };
}

function seed(): array
{
    wp_set_current_user(1);
    switch_theme(array_key_first(wp_get_themes())); // the theme of Debian's package
    $categories = array_map(fn(int $i): int => wp_insert_category(['cat_name' => "Category $i"]), range(1, 8));
    for ($i = 1; $i <= 40; $i++) {
        $post = wp_insert_post([
            'post_title' => "Post $i", 'post_status' => 'publish', 'post_author' => 1, 'post_date' => sprintf('2025-01-%02d %02d:00:00', 1 + $i % 28, $i % 24),
            'post_content' => "<!-- wp:paragraph --><p>" . str_repeat("Text $i of a post. ", 60) . "</p><!-- /wp:paragraph -->", 'post_category' => [$categories[$i % 8], $categories[$i % 5]],
            'tags_input' => ["tag $i", 'tag ' . $i % 7], 'meta_input' => ['color' => ['red', $i], 'size' => $i],
        ]);
        for ($c = 0; $c < $i % 4; $c++) {
            wp_insert_comment(['comment_post_ID' => $post, 'comment_author' => "Reader $c", 'comment_author_email' => "reader$c@example.org", 'comment_content' => "Comment $c", 'comment_approved' => 1, 'comment_date' => "2025-02-0" . ($c + 1) . " 10:00:00"]);
        }
    }
    for ($i = 1; $i <= 5; $i++) {
        wp_insert_post(['post_type' => 'page', 'post_title' => "Page $i", 'post_status' => 'publish', 'post_content' => "Page $i", 'post_author' => 1, 'post_date' => '2025-01-01 00:00:00']);
    }
    update_option('comment_whitelist', 0);
    update_option('comment_previously_approved', 0);
    update_option('blogdescription', 'A test');
    return [wp_count_posts()->publish, wp_count_comments()->approved];
}

function edit(): array
{
    wp_set_current_user(1);
    $post = get_posts(['numberposts' => 1, 'offset' => 3])[0];
    wp_update_post(['ID' => $post->ID, 'post_title' => 'Edited ' . substr($post->post_title, -6)]);
    update_post_meta($post->ID, 'color', ['blue', (object) ['a' => 1]]);
    wp_set_post_terms($post->ID, ['new tag'], 'post_tag');
    $trash = get_posts(['numberposts' => 1, 'offset' => 8])[0];
    wp_trash_post($trash->ID);
    update_option('blogname', 'Renamed ' . get_option('db_version'));
    return [get_post($post->ID)->post_title, get_post_meta($post->ID, 'color', true), wp_count_posts()->publish, get_the_tags($post->ID)[0]->name];
}

/** Makes a post that is due now, and the event that publishes it. */
function schedule(): int
{
    $id = wp_insert_post(['post_title' => 'In good time', 'post_content' => 'Text', 'post_status' => 'future', 'post_author' => 1, 'post_date' => wp_date('Y-m-d H:i:s', time() + 3600)]);
    $GLOBALS['wpdb']->update($GLOBALS['wpdb']->posts, ['post_date' => '2025-03-04 05:06:07', 'post_date_gmt' => '2025-03-04 05:06:07'], ['ID' => $id]);
    clean_post_cache($id);
    wp_clear_scheduled_hook('publish_future_post', [$id]);
    wp_schedule_single_event(time() - 1, 'publish_future_post', [$id]);
    return $id;
}

function options(): array
{
    $seen = [];
    foreach (['text', 5, 1.5, true, null, ['a' => ['b' => 1]], (object) ['x' => [1]]] as $i => $value) {
        update_option("larder_test_$i", $value, $i % 2 ? 'yes' : 'no');
        $seen[] = get_option("larder_test_$i", 'none');
        delete_option("larder_test_$i");
        $seen[] = get_option("larder_test_$i", 'none');
    }
    set_transient('larder', ['t'], 60);
    $seen[] = get_transient('larder');
    delete_transient('larder');
    $seen[] = get_transient('larder');
    return $seen;
}

/** Calls the functions of the object cache. Their results must be those of WordPress's own object cache. */
function cache_functions(): array
{
    $seen = [];
    wp_cache_add_non_persistent_groups(['mine']);
    foreach (['posts', 'options', 'mine', ''] as $group) {
        $object = (object) ['a' => 1];
        $seen[] = [
            wp_cache_add('k', 1, $group), wp_cache_add('k', 2, $group), wp_cache_get('k', $group), wp_cache_set('o', $object, $group),
            ($object->a = 2) && wp_cache_get('o', $group)->a === 1, wp_cache_get('none', $group, false, $found), $found,
            wp_cache_set('false', false, $group), wp_cache_get('false', $group, false, $found), $found,
            wp_cache_incr('k', 5, $group), wp_cache_decr('k', 100, $group), wp_cache_incr('none', 1, $group), wp_cache_set('text', 'abc', $group), wp_cache_incr('text', 2, $group),
            wp_cache_set('big', '7', $group), wp_cache_incr('big', 1, $group), wp_cache_replace('none', 1, $group), wp_cache_replace('k', 'new', $group), wp_cache_get('k', $group),
            wp_cache_set_multiple(['m1' => 1, 'm2' => null, 3 => 'three'], $group), wp_cache_get_multiple(['m1', 'm2', 3, 'm4'], $group), wp_cache_add_multiple(['m1' => 0, 'm5' => 5], $group),
            wp_cache_delete_multiple(['m1', 'm4'], $group), wp_cache_delete('m2', $group), wp_cache_delete('m2', $group), wp_cache_get('m1', $group),
            wp_cache_supports('flush_group'), wp_cache_flush_group($group), wp_cache_get('k', $group), wp_cache_get(3, $group),
        ];
    }
    // Wrong arguments, as some plugins pass, must not end the page.
    foreach ([' ', '', null, true, 1.5, "a\0b", "a\x1fb", '{}()/\\@:', '0', '05', -5, PHP_INT_MAX, str_repeat('k', 1001), str_repeat('k', 70000)] as $key) {
        foreach (['posts', 'mine'] as $group) {
            $found = false;
            $text = is_int($key) || is_string($key) ? $key : 'as array key';
            $seen[] = [
                wp_cache_get($key, $group), wp_cache_add($key, 1, $group), wp_cache_add($key, 2, $group), wp_cache_set($key, [2], $group), wp_cache_get($key, $group, true, $found), (bool) $found, wp_cache_replace($key, 3, $group),
                wp_cache_incr($key, 2, $group), wp_cache_decr($key, 1, $group), array_values(wp_cache_get_multiple([$text, 'no'], $group)), wp_cache_delete($key, $group), wp_cache_delete($key, $group),
                array_values(wp_cache_set_multiple([$text => 7], $group)), wp_cache_get($text, $group), array_values(wp_cache_add_multiple([$text => 8], $group)), array_values(wp_cache_delete_multiple([$text], $group)), wp_cache_get($text, $group),
            ];
        }
    }
    $seen[] = array_map('md5', array_map('serialize', array_keys(wp_cache_get_multiple(['', 'a', ' ', null, true, 7], 'posts'))));
    foreach (["g\0h", "\xff\xfe", 'a.b', str_repeat('g', 5000), str_repeat('g', 4999) . 'h', '0', null, false, 7, ' '] as $i => $group) {
        $seen[] = [wp_cache_set('k', $i, $group), wp_cache_get('k', $group), wp_cache_get('k', 'posts'), wp_cache_get_multiple(['k'], $group), wp_cache_flush_group($group), wp_cache_get('k', $group)];
    }
    foreach ([PHP_INT_MAX, PHP_INT_MIN, -5, 1.5, '60', 'soon', null, true, []] as $i => $expire) {
        $seen[] = [wp_cache_set("e$i", 1, 'posts', $expire), wp_cache_get("e$i", 'posts'), wp_cache_add("f$i", 1, 'posts', $expire), wp_cache_get("f$i", 'posts'), wp_cache_set_multiple(["m$i" => 1], 'posts', $expire)];
    }
    foreach ([1, '5', 'x', null, [], 1.5, -7, true, PHP_INT_MAX, PHP_INT_MIN, '1e3'] as $value) {
        $seen[] = [wp_cache_set('n', $value, 'posts'), wp_cache_incr('n', 3, 'posts'), wp_cache_decr('n', '1', 'posts'), wp_cache_incr('n', null, 'posts'), wp_cache_get('n', 'posts'), wp_cache_get('n', 'posts', true)];
    }
    foreach ([null, false, '', 0, "\0larder missing", str_repeat('x', 300000)] as $value) {
        $seen[] = [wp_cache_set('v', $value, 'posts'), wp_cache_get('v', 'posts', true, $found) === $value, $found];
    }
    $cache = $GLOBALS['wp_object_cache'];
    $cache->of_a_plugin = 1;
    $seen[] = [$cache->set('', 1), $cache->add(' ', 1), $cache->set('of an object', 1, 'posts', '60'), $cache->get('of an object', 'posts'), $cache->of_a_plugin, wp_cache_add_global_groups(null), wp_cache_add_global_groups('one')];
    foreach (function_exists('wp_cache_get_salted') ? ['posts', 'mine'] : [] as $group) { // since WordPress 6.9
        $seen[] = [
            wp_cache_set_salted('s', ['found'], $group, '0.5 1'), wp_cache_get_salted('s', $group, '0.5 1'), wp_cache_get_salted('s', $group, '0.6 1'), wp_cache_get_salted('s', $group, ['0.5 1']), wp_cache_get_salted('none', $group, ''),
            wp_cache_set_multiple_salted(['s1' => 1, 's2' => null, 3 => false], $group, ['a', 'b'], 60), wp_cache_get_multiple_salted(['s1', 's2', 3, 'none'], $group, 'a:b'), wp_cache_get_multiple_salted(['s1', 's'], $group, 'a'), wp_cache_get('s1', $group),
        ];
    }
    $seen[] = [wp_cache_get_last_changed('posts') === wp_cache_get('last_changed', 'posts'), strlen(wp_cache_get_last_changed('posts')) > 10];
    wp_cache_set('global', 1, 'users');
    $seen[] = [wp_cache_set('r', 1, 'mine'), wp_cache_flush_runtime(), wp_cache_get('r', 'mine')];
    wp_cache_set('k', 1, 'posts');
    wp_cache_set('closure', fn() => 1, 'posts');
    $seen[] = [is_callable(wp_cache_get('closure', 'posts')), wp_cache_flush_runtime(), wp_cache_flush(), wp_cache_get('k', 'posts'), wp_cache_supports('unheard of'), wp_cache_close()];
    return $seen;
}

const KEPT = ["a\0b", "\xff\xfe", '{}()/\\@:', 5, '05'];

/** Stores the values that kept() looks for in another request. */
function keep(): array
{
    foreach ([...KEPT, str_repeat('k', 70000), str_repeat('k', 70000) . '2', str_repeat('k', 1000)] as $i => $key) {
        foreach (['posts', "g\0h", str_repeat('g', 5000)] as $group) {
            wp_cache_set($key, "value $i", $group);
        }
    }
    wp_cache_set('has ended', 'old', 'posts');
    wp_cache_set('counter', 1, 'posts');
    return [wp_cache_set('has ended', 'new', 'posts', -5), wp_cache_get('has ended', 'posts'), wp_cache_add('had ended', 1, 'posts', -5), wp_cache_incr('counter', 2, 'posts')];
}

function kept(): array
{
    $seen = [];
    foreach (['posts', "g\0h", str_repeat('g', 5000), 'other'] as $group) {
        $seen[] = array_values(wp_cache_get_multiple([...KEPT, str_repeat('k', 70000), str_repeat('k', 70000) . '2', str_repeat('k', 1000), str_repeat('k', 999)], $group));
    }
    return [...$seen, wp_cache_get('has ended', 'posts'), wp_cache_get('had ended', 'posts'), wp_cache_get('counter', 'posts')];
}

function network(): array
{
    global $wpdb;
    require_once ABSPATH . 'wp-admin/includes/upgrade.php';
    require_once ABSPATH . 'wp-admin/includes/network.php';
    foreach ($wpdb->tables('ms_global') as $table => $prefixed) {
        $wpdb->$table = $prefixed;
    }
    install_network();
    $done = populate_network(1, 'wp.test', 'admin@example.org', 'Network', '/', false);
    return [is_wp_error($done) ? $done->get_error_code() : $done];
}

function sites(): array
{
    $sites = get_sites(['fields' => 'ids', 'number' => 10, 'orderby' => 'id']);
    for ($i = count($sites); $i < 3; $i++) {
        $sites[] = wpmu_create_blog('wp.test', "/site$i/", "Site $i", 1);
    }
    $seen = [is_multisite(), array_map('intval', $sites)];
    foreach ($sites as $n => $site) {
        switch_to_blog($site);
        update_option('larder_of_site', "value $n");
        wp_cache_set('same key', $n, 'mine of site');
        wp_cache_set('same key', $n, 'users');
        if ($n && !get_posts(['title' => "Of site $n"])) {
            wp_insert_post(['post_title' => "Of site $n", 'post_status' => 'publish', 'post_author' => 1, 'post_content' => 'Site', 'post_date' => '2025-01-01 00:00:00']);
        }
        restore_current_blog();
    }
    foreach ($sites as $site) {
        switch_to_blog($site);
        $seen[] = [get_option('larder_of_site'), get_option('blogname'), wp_cache_get('same key', 'mine of site'), wp_cache_get('same key', 'users'), count(get_posts(['numberposts' => -1])), get_blog_details($site)->path];
        restore_current_blog();
    }
    return $seen;
}
