// The module that comes with `import StoreFile`, because signatures of StoreFile name its types.
@_exported public import Crawling
