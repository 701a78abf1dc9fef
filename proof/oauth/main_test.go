package oauth

import (
	"flag"
	"testing"

	"sandlot/internal/testkit/testenv"
)

// beside is how many tests run beside each other. It is more than there are cores: they wait for messages, which leave once a second.
const beside = "8"

func TestMain(m *testing.M) {
	flag.Parse()
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		if err := flag.Set("test.parallel", beside); err != nil {
			panic(err)
		}
	}
	testenv.Main(m)
}
