package redis

import (
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

func TestRegressionM40ASightingIsForOthers(t *testing.T) {
	t.Parallel()
	url := testenv.StartRedis(t).URL()
	here, there := NewSightings(open(t, url, "secret")), NewSightings(open(t, url, "secret"))
	expect.Equal(t, "at first", there.SeenElsewhere(t.Context(), "database"), false)
	here.Saw(t.Context(), "database")
	expect.Equal(t, "another node's", there.SeenElsewhere(t.Context(), "database"), true)
	expect.Equal(t, "its own", here.SeenElsewhere(t.Context(), "database"), false)
	expect.Equal(t, "of another part", there.SeenElsewhere(t.Context(), "blobs"), false)
}
