package mediatype

// All returns the type of each known extension, without its charset, and of those such as "wasm.gz" that browsers
// unpack with gzip. It is for a browser that serves files with the same types as the service.
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
