#include "larder_ruby.h"
