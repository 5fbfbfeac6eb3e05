// What comes with `import Upstream`: its signatures name types of these modules.
@_exported public import Crawling
@_exported public import ResponseBody
