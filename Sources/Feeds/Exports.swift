// Modules that come with `import Feeds`, because signatures of Feeds name their types.
@_exported public import JSON
@_exported public import Pagination
@_exported public import Text
@_exported public import Time
