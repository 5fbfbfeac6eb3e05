// Modules that come with `import FeedTables`, because signatures of FeedTables name their types.
@_exported public import ResponseBody
@_exported public import StoreFile
