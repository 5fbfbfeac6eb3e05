// What comes with `import Feeds`: its signatures name types of these modules.
@_exported public import JSON
@_exported public import Pagination
@_exported public import Text
@_exported public import Time
