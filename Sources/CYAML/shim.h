#ifndef FEEDSYNC_CYAML_H
#define FEEDSYNC_CYAML_H

/* Swift imports all of libyaml that we use; there is nothing to wrap. */
#include <yaml.h>

#endif
