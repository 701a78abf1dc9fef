package mediatype

// All returns the type of each known extension, without its charset, and of those such as "wasm.gz" that are unpacked with gzip on their
// way. It is for a browser that serves files as they would be served here.
func All() map[string]string {
	all := make(map[string]string, len(types))
	for extension, t := range types {
		all[extension] = t.name
		if t.build {
			all[extension+".gz"] = t.name
		}
	}
	return all
}
