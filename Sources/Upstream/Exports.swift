// Modules that come with `import Upstream`, because signatures of Upstream name their types.
@_exported public import Crawling
@_exported public import ResponseBody
