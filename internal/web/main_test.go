package web

import (
	"testing"

	"sandlot/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }
