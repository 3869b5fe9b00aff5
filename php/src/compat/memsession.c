/* memsession.c - registers Larder's session handler under a second name, memsession. This is the
 * name of another extension's session handler. */
#include "compat/layer.h"
#include "session/session.h"

static void memsession_startup(int module_number) { larder_session_register("memsession"); }

static void memsession_info(zend_module_entry *module)
{
    larder_layer_info("memsession", module->version, LARDER_SESSIONS, NULL);
}

const larder_layer larder_layer_memsession = {
    .name = "memsession",
    .module = "memsession",
    .version = "1.0.0",
    .startup = memsession_startup,
    .info = memsession_info,
};
