package guide

import (
	"encoding/json"
	"strings"
	"time"
)

const (
	securityPath = "/.well-known/security.txt"
	skillsPath   = "/.well-known/agent-skills/"
	skillName    = "sandlot"
	skillAt      = skillsPath + skillName + "/SKILL.md"
)

// skillsSchema is the edition of the format of the list of skills.
const skillsSchema = "https://schemas.agentskills.io/discovery/0.2.0/schema.json"

// skills returns the list of skills, with the digest of the only one.
func skills(description string, skill []byte) []byte {
	type entry struct {
		Name        string `json:"name"`
		Type        string `json:"type"`
		Description string `json:"description"`
		URL         string `json:"url"`
		Digest      string `json:"digest"`
	}
	return encoded(struct {
		Schema string  `json:"$schema"`
		Skills []entry `json:"skills"`
	}{skillsSchema, []entry{{skillName, "skill-md", description, skillAt, "sha256:" + digest(skill)}}})
}

// encoded returns a value in JSON, in a form readable for people as well.
func encoded(v any) []byte {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic(err) // strings and numbers always encode
	}
	return []byte(out.String())
}

// hidden are the paths that crawlers should skip: forms, the account, and duplicates of other pages.
var hidden = []string{"/account", "/login", "/verify", "/not-me", "/report", "/oauth/", "/embed/", "/~/"}

// robots returns a robots.txt that lets crawlers read every public page.
func robots(base string) []byte {
	text := "User-agent: *\n"
	for _, path := range hidden {
		text += "Disallow: " + path + "\n"
	}
	return []byte(text + "\nSitemap: " + base + sitemapPath + "\n")
}

// validFor is the time for which a reader may rely on security.txt.
const validFor = 30 * 24 * time.Hour

// security returns security.txt (RFC 9116), with the addresses for reports of vulnerabilities, and of pages that
// deceive or harm people.
func (g *Guide) security() document {
	expires := g.Now().UTC().Truncate(24 * time.Hour).Add(validFor)
	base := g.Places.Base.String()
	text := "# " + base + "/ serves the addresses of projects"
	if g.Places.Content != "" {
		text += " under " + g.Places.Content
	}
	text += ". A project that deceives or harms people is reported at " + base + "/report\n"
	if g.SecurityContact != "" {
		text += "Contact: " + g.SecurityContact + "\n"
	}
	text += "Contact: " + base + "/report\nExpires: " + expires.Format(time.RFC3339) +
		"\nPreferred-Languages: en\nCanonical: " + base + securityPath + "\n"
	return newDocument(kindPlain+inUTF8, []byte(text))
}
