package check_test

import (
	"os"
)

// pageOf is a page of a size, from the beginning of an example game.
func pageOf(size int) []byte {
	text, err := os.ReadFile("../../examples/wick/index.html")
	if err != nil {
		panic(err)
	}
	const end = "\n/**/</script></body></html>\n"
	return append(text[:size-len(end):size-len(end)], end...)
}
