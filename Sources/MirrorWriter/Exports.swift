// The module that comes with `import MirrorWriter`, because signatures of MirrorWriter name its types.
@_exported public import FeedTables
