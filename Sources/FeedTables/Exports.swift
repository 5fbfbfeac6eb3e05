// What comes with `import FeedTables`: its signatures name types of these modules.
@_exported public import ResponseBody
@_exported public import StoreFile
