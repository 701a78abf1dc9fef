package runtime

import (
	"testing"

	"sandlot/internal/testkit/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }
