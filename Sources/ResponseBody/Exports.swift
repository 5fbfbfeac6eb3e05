// Modules that come with `import ResponseBody`, because signatures of ResponseBody name their types.
@_exported public import Feeds
