package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"sandlot/internal/testkit/expect"
	"sandlot/internal/testkit/testenv"
)

// TestSoakBackupsOffTheMachine walks the recipe of docs/book/backup.md: a backup goes to a bucket by restic, twice, and the one of the first day
// comes back, whole.
func TestSoakBackupsOffTheMachine(t *testing.T) {
	t.Parallel()
	testenv.Need(t, "restic")
	bucket := testenv.S3(t)
	l := newLoss(t)
	dir := t.TempDir()
	restic := func(args ...string) {
		t.Helper()
		cmd := exec.Command("restic", args...)
		cmd.Env = append(os.Environ(), "RESTIC_REPOSITORY=s3:"+bucket.Endpoint+"/"+bucket.Name, "RESTIC_PASSWORD=a password",
			"AWS_ACCESS_KEY_ID="+bucket.Key, "AWS_SECRET_ACCESS_KEY="+bucket.Secret, "RESTIC_CACHE_DIR="+filepath.Join(dir, "cache"))
		out, err := cmd.CombinedOutput()
		expect.OK(t, err, "restic", args, string(out))
	}
	restic("init")
	latest := filepath.Join(dir, "latest")
	for _, day := range []string{"first", "second"} {
		expect.OK(t, os.RemoveAll(latest))
		out, err := exec.Command(testenv.Binary(t), append([]string{"backup", latest}, l.places...)...).CombinedOutput()
		expect.OK(t, err, string(out))
		restic("backup", latest, "--tag", day)
		l.update(t, day+".txt", []byte(day))
	}
	restic("forget", "--keep-daily", "14", "--keep-weekly", "8", "--group-by", "paths,tags", "--prune")
	restic("check", "--read-data")
	restic("restore", "latest", "--tag", "first", "--target", filepath.Join(dir, "restored"))
	l.backup = filepath.Join(dir, "restored", latest)
	out, exit := rehearses(t, append([]string{l.backup}, l.places...)...)
	expect.Equal(t, "exit code\n"+out, exit, 0)
	expect.Contains(t, "the report", out, "read 1 of 1 project, 2 files, ")
	out, exit = l.recovers(t, "--yes")
	expect.Equal(t, "exit code\n"+out, exit, 0)
	l.back(t, 5)
}
