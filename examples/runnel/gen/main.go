// Command gen makes the two binary files of Runnel: silt.wasm, the simulation of the sand, and art.png, its pictures.
//
// Run it in the folder of the game, after any change here:
//
//	go run ./gen
//
// The simulation is assembled instruction by instruction (asm.go says how, module.go wraps it up, silt.go is the simulation itself), so that
// the game needs nothing but Go to be built, and the same source always gives the same bytes.
package main

import (
	"bytes"
	"fmt"
	"image/png"
	"log"
	"os"
)

func main() {
	files, err := generate()
	if err != nil {
		log.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// generate returns the content of each generated file by its name.
func generate() (map[string][]byte, error) {
	var picture bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(&picture, drawSheet()); err != nil {
		return nil, fmt.Errorf("encode art.png: %w", err)
	}
	return map[string][]byte{"silt.wasm": siltModule().binary(), "art.png": picture.Bytes()}, nil
}
