#pragma once
// XML_UseForeignDTD is declared only where this is.
#define XML_DTD 1
#include <expat.h>

// Only feeds in XML need expat. It is opened when one comes, and gets its security fixes with the system's updates.
// Functions have a `c` in front, and none of them may be called before `cexpat_load` has succeeded.

/// Opens expat; not to be called by two threads at once.
///
/// Returns NULL, or the dynamic linker's words for what is missing.
const char *cexpat_load(void);

#define CEXPAT_FUNCTIONS(FUNCTION)                                                                                     \
    FUNCTION(ErrorString)                                                                                              \
    FUNCTION(ExpatVersion)                                                                                             \
    FUNCTION(GetCurrentByteIndex)                                                                                      \
    FUNCTION(GetCurrentColumnNumber)                                                                                   \
    FUNCTION(GetCurrentLineNumber)                                                                                     \
    FUNCTION(GetErrorCode)                                                                                             \
    FUNCTION(GetSpecifiedAttributeCount)                                                                               \
    FUNCTION(Parse)                                                                                                    \
    FUNCTION(ParserCreate)                                                                                             \
    FUNCTION(ParserFree)                                                                                               \
    FUNCTION(SetAttlistDeclHandler)                                                                                    \
    FUNCTION(SetCharacterDataHandler)                                                                                  \
    FUNCTION(SetElementHandler)                                                                                        \
    FUNCTION(SetEntityDeclHandler)                                                                                     \
    FUNCTION(SetExternalEntityRefHandler)                                                                              \
    FUNCTION(SetSkippedEntityHandler)                                                                                  \
    FUNCTION(SetUserData)                                                                                              \
    FUNCTION(StopParser)                                                                                               \
    FUNCTION(UseForeignDTD)

// As the library's header declares them, so that the compiler checks each call against it.
#define CEXPAT_MEMBER(name) __typeof__(XML_##name) *name;
// Newer headers, as Debian 13's, deprecate functions whose successors older libraries do not have.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
extern struct cexpat_functions { CEXPAT_FUNCTIONS(CEXPAT_MEMBER) } cexpat_functions;
#pragma clang diagnostic pop

static inline const char *cexpat_version(void) { return cexpat_functions.ExpatVersion(); }
static inline XML_Parser cexpat_create(const char *encoding) { return cexpat_functions.ParserCreate(encoding); }
static inline void cexpat_free(XML_Parser parser) { cexpat_functions.ParserFree(parser); }
static inline enum XML_Status cexpat_parse(XML_Parser parser, const char *text, int count, int is_last)
{
    return cexpat_functions.Parse(parser, text, count, is_last);
}
static inline enum XML_Status cexpat_stop(XML_Parser parser, XML_Bool is_resumable)
{
    return cexpat_functions.StopParser(parser, is_resumable);
}
static inline enum XML_Error cexpat_error(XML_Parser parser) { return cexpat_functions.GetErrorCode(parser); }
static inline const char *cexpat_error_text(enum XML_Error code) { return cexpat_functions.ErrorString(code); }
static inline long cexpat_byte(XML_Parser parser) { return (long)cexpat_functions.GetCurrentByteIndex(parser); }
static inline long cexpat_line(XML_Parser parser) { return (long)cexpat_functions.GetCurrentLineNumber(parser); }
static inline long cexpat_column(XML_Parser parser) { return (long)cexpat_functions.GetCurrentColumnNumber(parser); }
static inline enum XML_Error cexpat_use_foreign_dtd(XML_Parser parser)
{
    return cexpat_functions.UseForeignDTD(parser, XML_TRUE);
}
// Twice the number of attributes that the current tag itself has; its defaults come behind them.
static inline int cexpat_specified_attributes(XML_Parser parser)
{
    return cexpat_functions.GetSpecifiedAttributeCount(parser);
}

static inline void cexpat_set_context(XML_Parser parser, void *context) { cexpat_functions.SetUserData(parser, context); }
// A macro in the library's header: the context is the first thing that the parser's handle points to.
static inline void *cexpat_context(XML_Parser parser) { return XML_GetUserData(parser); }
static inline void cexpat_on_elements(XML_Parser parser, XML_StartElementHandler start, XML_EndElementHandler end)
{
    cexpat_functions.SetElementHandler(parser, start, end);
}
static inline void cexpat_on_text(XML_Parser parser, XML_CharacterDataHandler handler)
{
    cexpat_functions.SetCharacterDataHandler(parser, handler);
}
static inline void cexpat_on_skipped_entity(XML_Parser parser, XML_SkippedEntityHandler handler)
{
    cexpat_functions.SetSkippedEntityHandler(parser, handler);
}
static inline void cexpat_on_entity_declaration(XML_Parser parser, XML_EntityDeclHandler handler)
{
    cexpat_functions.SetEntityDeclHandler(parser, handler);
}
static inline void cexpat_on_attribute_declaration(XML_Parser parser, XML_AttlistDeclHandler handler)
{
    cexpat_functions.SetAttlistDeclHandler(parser, handler);
}
static inline void cexpat_on_external_entity(XML_Parser parser, XML_ExternalEntityRefHandler handler)
{
    cexpat_functions.SetExternalEntityRefHandler(parser, handler);
}
