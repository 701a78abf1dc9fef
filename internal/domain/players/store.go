package players

// A Store keeps players, saves and shared values, under the same promises as a publish.Store.
type Store interface{}
