print("feedsync")
