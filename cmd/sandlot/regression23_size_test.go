package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sandlot/internal/testkit/expect"
)

// sizeFlags are all settings that are a number of bytes.
var sizeFlags = []string{"inline-max", "max-file-size", "cache-size", "account-bytes"}

func TestRegression23SizesAreReadInEverySpelling(t *testing.T) {
	for text, want := range map[string]size{
		"0": 0, "1": 1, "65536": 64 << 10, "64K": 64 << 10, "64k": 64 << 10, "64KB": 64 << 10, "64kb": 64 << 10, "64KiB": 64 << 10, "64Ki": 64 << 10, "8gib": 8 << 30, "8GIB": 8 << 30,
		"1G": 1 << 30, "1GB": 1 << 30, "100 MB": 100 << 20, " 1 GiB ": 1 << 30, "5B": 5, "5 b": 5, "1T": 1 << 40, "2TiB": 2 << 40, "1P": 1 << 50, "007": 7, "0K": 0,
	} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q is %d, %v; want %d", text, s, err, want)
		}
	}
	for _, text := range []string{
		"", " ", "K", "-1", "+1", "1.5G", "1,5G", "1e9", "1_000", "0x10", "64X", "64KK", "64 K B", "64iB", "64i", "6 4", "1G1", "١", "64 kilobytes", "NaN",
	} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "such as 65536, 64K, 100MB or 1GiB") {
			t.Errorf("%q is %d, %v", text, s, err)
		}
	}
	for _, text := range []string{"2P", "1025T", "9223372036854775807", "9223372036854775808", "18446744073709551616", "99999999999999999999999G", "17179869184G"} {
		var s size
		if err := s.UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), "is too large: the most is 1PiB") {
			t.Errorf("%q is %d, %v", text, s, err)
		}
	}
	for _, n := range []size{0, 1, 1023, 1024, 1025, 64 << 10, 100_000_000, 1 << 30, 3 << 29, 1 << 50, (5 << 40) + 1} {
		var back size
		if err := back.UnmarshalText([]byte(n.String())); err != nil || back != n {
			t.Errorf("%d is printed as %s, which is %d, %v", n, n, back, err)
		}
		if rounded := n.about(); rounded > n || n-rounded > n/8 && n-rounded >= 1024 {
			t.Errorf("%s is about %s", n, rounded)
		}
	}
}

// TestRegression23EverySizeTakesUnits from the command line, the environment and a file.
func TestRegression23EverySizeTakesUnits(t *testing.T) {
	check := func(t *testing.T, args, env []string) string {
		t.Helper()
		var out, errs bytes.Buffer
		if err := runAgain(t.Context(), append([]string{"config", "check"}, args...), env, &out, &errs); err != nil {
			t.Fatalf("%v %s", err, errs.String())
		}
		return out.String()
	}
	for _, name := range sizeFlags {
		text, want := "200 mb", `(?m)^`+name+`: +200MiB( |$)`
		if name == "inline-max" {
			text, want = "32 kb", `(?m)^`+name+`: +32KiB( |$)`
		}
		file := filepath.Join(t.TempDir(), "settings.yaml")
		expect.OK(t, os.WriteFile(file, []byte(name+": "+text+"\n"), 0o600))
		for source, out := range map[string]string{
			"flag":        check(t, []string{"--" + name, text}, nil),
			"environment": check(t, nil, []string{variable(name) + "=" + text}),
			"file":        check(t, []string{"--config", file}, nil),
		} {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("%s of the %s: %s", name, source, out)
			}
		}
		var out, errs bytes.Buffer
		err := runAgain(t.Context(), []string{"config", "check", "--" + name, "64X"}, nil, &out, &errs)
		if err == nil || exitCode(err) != 2 || !strings.Contains(err.Error(), "--"+name) || !strings.Contains(err.Error(), "64K") {
			t.Errorf("%s: %v", name, err)
		}
	}
	expect.Contains(t, "what is told", check(t, []string{"--limit", "bytes=2G/h:1536MB"}, nil), "2G/h:1536MB")
}

func TestRegression23NoSettingOfBytesIsAPlainNumber(t *testing.T) {
	for name, flag := range flagsOf(t, "serve") {
		isSize := flag.Target.Type() == reflect.TypeFor[size]()
		if says := flag.PlaceHolder == "SIZE"; says != isSize {
			t.Errorf("--%s: a size is %v, and its help says %s", name, isSize, flag.PlaceHolder)
		}
		if strings.Contains(strings.ToLower(flag.PlaceHolder), "byte") {
			t.Errorf("--%s takes plain bytes", name)
		}
	}
}
