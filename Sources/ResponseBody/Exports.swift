// What comes with `import ResponseBody`: its signatures name types of these modules.
@_exported public import Feeds
