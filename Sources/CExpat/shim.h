#ifndef FEEDSYNC_CEXPAT_H
#define FEEDSYNC_CEXPAT_H

/* XML_UseForeignDTD is declared only where this is. */
#define XML_DTD 1
#include <expat.h>

/* A macro, which Swift does not import: the context is the first thing that the parser's handle points to. */
static inline void *cexpat_context(XML_Parser parser) { return XML_GetUserData(parser); }

#endif
