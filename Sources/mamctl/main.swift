print("mamctl: not built yet")
