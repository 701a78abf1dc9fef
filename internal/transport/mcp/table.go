package mcp

import sdk "github.com/modelcontextprotocol/go-sdk/mcp"

// A tool is one of the tools that the instance offers: a row here, and the function that makes its call of the API.
type tool struct {
	name, title string
	about       string // for the model that chooses
	schema      string // of its arguments, in JSON
	reads       bool   // whether it changes nothing
	token       bool   // whether it takes an edit_token
	account     bool   // whether it needs an account
	call        func(*Tools, *call) (*sdk.CallToolResult, *refusal)
}

// Parts of the schemas. They keep to type, properties, required, items, enum and description: clients drop the rest.
const (
	projectArg = `"project":{"type":"string","description":"Its id or any of its addresses"}`
	tokenArg   = `"edit_token":{"type":"string","description":"From the answer of publish; not needed with an account"}`
	filesArg   = `"files":{"type":"array","description":"Text files, whole","items":{"type":"object","properties":{` +
		`"filename":{"type":"string","description":"Relative, such as js/game.js"},"text":{"type":"string"}},"required":["filename","text"]}}`
	titleArg  = `"title":{"type":"string"}`
	dryArg    = `"dry_run":{"type":"boolean","description":"Only report what would change"}`
	cursorArg = `"cursor":{"type":"string","description":"next_cursor of the page before"}`
)

func schemaOf(required, properties string) string {
	return `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
}

// tools returns the tools, in the order in which they are listed.
func tools() []tool {
	return []tool{
		{
			name: "publish", title: "Publish a new project",
			about: "Publish a web page, game or app (HTML with its scripts, styles and texts) as a new project. It is public and permanent: " +
				"anyone with the link can open and play it. It is not a private preview. Send html for one page, or files with an index.html. " +
				"Works without an account. Keep project and edit_token of the answer: to change the project, call update, never publish again.",
			schema: schemaOf(``, `"html":{"type":"string","description":"One page, whole; instead of files"},`+filesArg+`,`+titleArg+
				`,"email":{"type":"string","description":"Of the user, only if they gave it for this"}`+
				`,"lang":{"type":"string","description":"Of the page, such as de"},`+dryArg),
			call: changes("/v1/publish", "Published"),
		},
		{
			name: "update", title: "Change a project", token: true,
			about: "Make a new version of a project at the same address, in one step. Prefer edits: each replaces a text that stands exactly once in the file, " +
				"so that a small change of a long file costs a line. files sends whole files, new or changed; delete removes files; all others stay. " +
				"replace: true keeps only the files sent. Earlier versions remain and can be restored.",
			schema: schemaOf(`"project"`, projectArg+`,`+filesArg+
				`,"edits":{"type":"array","description":"All or none are made","items":{"type":"object","properties":{`+
				`"filename":{"type":"string"},"old":{"type":"string","description":"Exact text, with enough around it to be unique"},`+
				`"new":{"type":"string"}},"required":["filename","old","new"]}}`+
				`,"delete":{"type":"array","items":{"type":"string"},"description":"Names of files"}`+
				`,"replace":{"type":"boolean"},`+titleArg+
				`,"if_version":{"type":"integer","description":"Refuse if the project is at another version"},`+dryArg+`,`+tokenArg),
			call: changes("/v1/update", "Updated"),
		},
		{
			name: "restore", title: "Restore an earlier version", token: true,
			about:  "Make a new version with the files of an earlier one, such as the last that worked. versions lists them.",
			schema: schemaOf(`"project","version"`, projectArg+`,"version":{"type":"integer"},`+tokenArg),
			call:   changes("/v1/restore", "Restored"),
		},
		{
			name: "get_project", title: "Read a project or a file", reads: true, token: true,
			about: "Read what a project is: addresses, version, names and sizes of its files. With file, read the text of that file, 32 KiB at a time; " +
				"from_line begins there and numbers the lines. Read a file before you edit it.",
			schema: schemaOf(`"project"`, projectArg+`,"file":{"type":"string","description":"Name of a file to read"},"from_line":{"type":"integer"},`+tokenArg),
			call:   (*Tools).getProject,
		},
		{
			name: "list_projects", title: "Find projects of the account", reads: true, account: true,
			about:  "List the projects of the connected account, newest change first, or find one by words of its title or address. Needs an account.",
			schema: schemaOf(``, `"query":{"type":"string"},`+cursorArg),
			call:   (*Tools).listProjects,
		},
		{
			name: "versions", title: "List the versions of a project", reads: true, token: true,
			about:  "List the versions of a project, newest first, with what each changed.",
			schema: schemaOf(`"project"`, projectArg+`,`+cursorArg+`,`+tokenArg),
			call:   (*Tools).versions,
		},
		{
			name: "check", title: "See whether it works", reads: true, token: true,
			about: "See a project in a browser: a picture of the current version, console errors, failed requests and whether anything moved. " +
				"Run it after publish and update, and mend what it finds. inputs plays; probe reads JavaScript values.",
			schema: schemaOf(`"project"`, projectArg+`,"inputs":{"type":"array","items":{"type":"object"},"description":"Such as {key: ArrowUp, ms: 500}, {tap: [9, 9]}, {wait: 500}"}`+
				`,"probe":{"type":"array","items":{"type":"string"}},`+tokenArg),
			call: (*Tools).check,
		},
		{
			name: "stats", title: "See plays and likes", reads: true, token: true,
			about:  "Tell how often a project was played and liked: in all, by day or by version.",
			schema: schemaOf(`"project"`, projectArg+`,"by":{"type":"string","enum":["day","version"]},`+tokenArg),
			call:   (*Tools).stats,
		},
		{
			name: "upload", title: "Send files that do not fit here", token: true,
			about: "Get a shell command, and a page for your user, that sends a large or binary file, or with archive: true a whole folder. " +
				"Without project it publishes a new one; with project it changes that one, and filename names a single file. Good once, for 10 minutes. " +
				"Last resort for a small binary file: base64 in content of files, at most 10,000 characters.",
			schema: schemaOf(``, projectArg+`,"filename":{"type":"string"},"archive":{"type":"boolean","description":"A folder"},"replace":{"type":"boolean"},`+titleArg+
				`,"email":{"type":"string"},`+dryArg+`,`+tokenArg),
			call: (*Tools).upload,
		},
	}
}
