// What comes with `import MirrorWriter`: its signatures name types of this module.
@_exported public import FeedTables
