// A client that other people's programs made from the OpenAPI document of a running service: openapi-typescript wrote its types, openapi-fetch makes its calls.
// It publishes, changes, reads and exports, calls every operation of the document, and fails where an answer is not what the document says.
//
//     node client.js BASE-URL TOKEN-OF-A-REPORTER
import assert from "node:assert/strict";
import createClient, { type Middleware } from "openapi-fetch";
import type { paths } from "./api.js";

const base = process.argv[2];
assert.ok(base && process.argv[3], "usage: node client.js BASE-URL TOKEN-OF-A-REPORTER");

// called are the operations that were answered with success, by method and path as the document writes them.
const called = new Set<string>();
const remember: Middleware = {
  onResponse({ request, response, schemaPath }) {
    if (response.ok) called.add(`${request.method.toLowerCase()} ${schemaPath}`);
  },
};

function client(key?: string) {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const made = createClient<paths>({ baseUrl: base!, headers });
  made.use(remember);
  return made;
}

// ok returns what a call answered, or fails with the service's own words.
function ok<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  assert.ok(answer.response.ok, `${answer.response.status} ${JSON.stringify(answer.error)}`);
  return answer.data as T;
}

// form sends fields as multipart/form-data, as a browser would.
function form(fields: unknown): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields as Record<string, string | Blob>)) data.append(name, value);
  return data;
}

// bytes says of a body of bytes what the document calls a string, which openapi-fetch sends as it is with raw.
const bytes = (b: Uint8Array) => b as unknown as string;
const raw = (b: unknown) => b as Uint8Array<ArrayBuffer>;

// tar makes an archive of texts.
function tar(files: Record<string, string>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([name, text]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write("0000644", 100);
    header.write(Buffer.byteLength(text).toString(8).padStart(11, "0"), 124);
    header.write("00000000000", 136);
    header.write("        0", 148);
    header.write("ustar\0" + "00", 257);
    header.write(header.reduce((sum, b) => sum + b, 0).toString(8).padStart(6, "0") + "\0 ", 148);
    return [header, Buffer.from(text), Buffer.alloc((512 - (Buffer.byteLength(text) % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

const nobody = client();
const page = "<!doctype html><title>Sky Hopper</title><meta name=viewport content='width=device-width'><h1>Hop</h1>";

const first = ok(await nobody.POST("/v1/publish", { body: { content: btoa(page), email: "me@example.com", handle: "ada" } }));
assert.ok("api_key" in first);
const owner = client(first.api_key);
const project = client(first.project_api_key);
const id = first.project_id;

const changed = ok(
  await project.POST("/v1/update", { body: { project_id: id, filename: "levels/1.json", content: btoa("{}"), if_version: first.version }, headers: { "Idempotency-Key": "foreign-1" } }),
);
assert.ok("filename" in changed);
const [version, created]: [number, boolean] = [changed.version, changed.created];
assert.deepEqual([version, created], [2, true]);
// @ts-expect-error: the answer about one file has no list of them
assert.equal(changed.files, undefined);

const picture = new Blob([new Uint8Array([0x89, 0x50, 0x4e, 0x47])], { type: "image/png" });
const sent = ok(
  await owner.POST("/v1/update", { body: { project_id: id, filename: "logo.png", content: picture as unknown as string }, bodySerializer: form }),
);
assert.ok("filename" in sent && sent.created);

// @ts-expect-error: the types are those of the fields, not anything at all
const wrong: paths["/v1/update"]["post"]["requestBody"]["content"]["application/json"] = { filename: 7 };
assert.ok(wrong);

const gone = ok(await owner.POST("/v1/delete-file", { body: { project_id: id, filename: "logo.png" } }));
assert.equal(gone.deleted, "logo.png");

const seen = ok(await owner.GET("/v1/project/{id}", { params: { path: { id }, query: { content: "none" } } }));
assert.equal(seen.title, "Sky Hopper");
assert.deepEqual(seen.files?.map((f) => f.filename), ["index.html", "levels/1.json"]);

const stats = ok(await nobody.GET("/v1/project/{id}/stats", { params: { path: { id } } }));
assert.ok("likes" in stats);
assert.equal(stats.likes, 0);
const byDay = ok(await project.GET("/v1/project/{id}/stats", { params: { path: { id }, query: { by: "day", days: 7 } } }));
assert.ok("days" in byDay);
assert.equal(byDay.days.length, 7);
const byVersion = ok(await owner.GET("/v1/project/{id}/stats", { params: { path: { id }, query: { by: "version" } } }));
assert.ok("versions" in byVersion);
const newest: number | undefined = byVersion.versions[0]?.version;
assert.equal(newest, undefined);

const who = ok(await owner.GET("/v1/whoami", { params: { query: { limit: 10 } } }));
assert.equal(who.handle, "ada");

const many = ok(
  await owner.POST("/v1/publish", { body: { files: [{ filename: "index.html", text: page + "<script src=js/a.js></script>" }, { filename: "js/a.js", text: "let a = 1" }] } }),
);
assert.ok("files" in many && many.files.length === 2);

const site = tar({ "hop/index.html": page, "hop/js/b.js": "let b = 2", "hop/levels/1.json": "{}" });
const checked = ok(
  await owner.POST("/v1/update", { params: { query: { project_id: id, replace: true, dry_run: true } }, body: bytes(site), bodySerializer: raw, headers: { "Content-Type": "application/x-tar" } }),
);
assert.ok("dry_run" in checked);
const [dry, would]: [true, string[]] = [checked.dry_run, checked.files.map((f) => f.filename)];
assert.deepEqual([dry, would], [true, ["js/b.js"]]);
// @ts-expect-error: what was not made has no address
assert.equal(checked.url, undefined);
const whole = ok(
  await owner.POST("/v1/update", { params: { query: { project_id: id, replace: true } }, body: bytes(site), bodySerializer: raw, headers: { "Content-Type": "application/x-tar" } }),
);
assert.ok("files" in whole && !("dry_run" in whole));
const [at, unchanged, addresses]: [string, number, string[]] = [whole.updated_at, whole.unchanged, whole.files.map((f) => f.url)];
assert.ok(at && unchanged === 2 && addresses.every((a) => a.startsWith(whole.url)));

const list = ok(await project.GET("/v1/project/{id}/versions", { params: { path: { id }, query: { limit: 2 } } }));
assert.equal(list.versions.length, 2);
const checks = ok(await project.GET("/v1/project/{id}/checks", { params: { path: { id } } }));
const tried: [string, boolean | null | undefined] = [checks.state, checks.checked?.moved];
assert.deepEqual(tried, ["off", undefined]);
const script = { inputs: [{ key: "ArrowRight", ms: 500 }, { tap: [200, 300] }, { wait: 1000 }], probe: ["state.score"], seconds: 10 };
const played = await project.POST("/v1/project/{id}/checks", { params: { path: { id } }, body: script });
const rate: number | null | undefined = played.data?.frames_per_second;
assert.deepEqual([played.error?.error, rate], ["playtest_off", undefined]);
called.add("post /v1/project/{id}/checks"); // this service has no play-tester
const back = ok(await project.POST("/v1/restore", { body: { project_id: id, version: 2 }, headers: { "Idempotency-Key": "foreign-2" } }));
assert.equal(back.restored_from, 2);
const file = ok(await project.GET("/v1/project/{id}/files/{filename}", { params: { path: { id, filename: "levels/1.json" } }, parseAs: "text" }));
assert.equal(file, "{}");
const amended = ok(await project.PATCH("/v1/project/{id}", { params: { path: { id } }, body: { description: "A game of hops", listed: false } }));
assert.equal(amended.description, "A game of hops");

// A player calls the project's own doors: the path form, for the names of projects do not resolve here.
assert.ok("path_url" in first && first.path_url);
const doors = createClient<paths>({
  baseUrl: first.path_url.replace(/\/$/, ""),
  headers: { "X-Sandlot-Player": "0123456789abcdef0123456789abcdef" },
});
doors.use(remember);
const hello = ok(await doors.GET("/.sandlot/player"));
assert.equal(ok(await doors.PATCH("/.sandlot/player", { body: { name: "Kim" } })).name, "Kim");
const inSlot = { params: { path: { slot: "main" } } };
ok(await doors.PUT("/.sandlot/saves/{slot}", { ...inSlot, body: { level: 3 } }));
assert.deepEqual(ok(await doors.GET("/.sandlot/saves/{slot}", inSlot)), { level: 3 });
assert.equal(ok(await doors.GET("/.sandlot/saves")).saves[0]?.slot, "main");
ok(await doors.POST("/.sandlot/saves/{slot}", { ...inSlot, body: { player: "0123456789abcdef0123456789abcdef", value: 4 } }));
ok(await doors.DELETE("/.sandlot/saves/{slot}", inSlot));
const underKey = { params: { path: { key: "world" } } };
ok(await doors.PUT("/.sandlot/shared/{key}", { ...underKey, body: [1, 2] }));
assert.deepEqual(ok(await doors.GET("/.sandlot/shared/{key}", underKey)), [1, 2]);
assert.equal(ok(await doors.GET("/.sandlot/shared", { params: { query: { prefix: "w" } } })).shared[0]?.key, "world");
ok(await doors.DELETE("/.sandlot/shared/{key}", underKey));
const { code } = ok(await doors.POST("/.sandlot/player/code"));
ok(await doors.POST("/.sandlot/player/resume", { body: { code } }));
const lost = { kind: "error" as const, message: "lose is not defined", source: "game.js", line: 3, column: 22, stack: "" };
ok(await doors.POST("/.sandlot/errors", { body: { age: 10, errors: [lost] } }));
ok(await doors.POST("/.sandlot/feedback", { body: { text: "Nice game" } }));
const onBoard = { params: { path: { board: "main" } } };
const early = await doors.POST("/.sandlot/scores/{board}", { ...onBoard, body: { score: 1230, since: hello.since } });
assert.equal(early.error?.error, "too_early");
await new Promise((done) => setTimeout(done, 1000 * (early.error?.retry_after ?? 5)));
assert.equal(ok(await doors.POST("/.sandlot/scores/{board}", { ...onBoard, body: { score: 1230, since: hello.since } })).rank, 1);
assert.equal(ok(await doors.GET("/.sandlot/scores/{board}", onBoard)).entries[0]?.you, true);

const ofBoard = { params: { path: { id, board: "main" } } };
const boards = ok(await project.GET("/v1/project/{id}/boards", { params: { path: { id } } }));
assert.deepEqual([boards.boards[0]?.board, boards.untrusted], ["main", true]);
const board = ok(await owner.GET("/v1/project/{id}/boards/{board}", { params: { path: { id, board: "main" }, query: { period: "week", limit: 3 } } }));
const kim = board.entries[0];
assert.deepEqual([kim?.name, kim?.score], ["Kim", 1230]);
const ruled = ok(await project.PATCH("/v1/project/{id}/boards/{board}", { ...ofBoard, body: { max: 9999.5, min: null } }));
assert.equal(ruled.max, 9999.5);
const thrown = ok(await project.GET("/v1/project/{id}/errors", { params: { path: { id } } }));
assert.equal(thrown.errors[0]?.message, "lose is not defined");
const messages = ok(await project.GET("/v1/project/{id}/feedback", { params: { path: { id }, query: { limit: 10 } } }));
const message = messages.feedback[0];
assert.equal(message?.text, "Nice game");
ok(await project.DELETE("/v1/project/{id}/feedback/{feedback}", { params: { path: { id, feedback: String(message!.id) } } }));
ok(await project.DELETE("/v1/project/{id}/players/{player}", { params: { path: { id, player: kim!.player } } }));
ok(await project.DELETE("/v1/project/{id}/boards/{board}", ofBoard));

const ticket = ok(await project.POST("/v1/uploads", { body: { project_id: id, filename: "notes.txt" } }));
const told = ok(await client(ticket.ticket).GET("/v1/uploads/{id}", { params: { path: { id: ticket.upload_id } } }));
assert.equal(told.filename, "notes.txt");
const put = ok(await client(ticket.ticket).PUT("/v1/uploads/{id}", { params: { path: { id: ticket.upload_id } }, body: bytes(new TextEncoder().encode("by ticket")), bodySerializer: raw }));
assert.ok("filename" in put && put.filename === "notes.txt");

const other = ok(await nobody.POST("/v1/signup", { body: {} }));
assert.match(other.api_key, /^sla_/);

const reported = ok(await client(process.argv[3]).POST("/v1/report", { body: { project: id, reason: "deceptive" } }));
assert.deepEqual([reported.project_id, reported.status], [id, "open"]);

const archive = ok(await owner.GET("/v1/export", { parseAs: "arrayBuffer" }));
assert.ok((archive as unknown as ArrayBuffer).byteLength > page.length);

const taken = ok(
  await owner.POST("/v1/import", { body: archive, bodySerializer: raw, headers: { "Content-Type": "application/zip", "Idempotency-Key": "foreign-3" } }),
);
assert.ok(taken.projects.every((p) => p.project_id !== p.from));

const refused = await owner.POST("/v1/delete-file", { body: { project_id: id, filename: "index.html" } });
assert.equal(refused.response.status, 422);
assert.equal(refused.error?.error, "primary_file_protected");

const here = ok(await nobody.GET("/v1"));
assert.ok(here.endpoints.some((e) => e.path === "/v1/publish"));

const deleted = ok(await owner.DELETE("/v1/project/{id}", { params: { path: { id: many.project_id! } }, body: { confirm: many.project_id! } }));
assert.equal(deleted.project_id, many.project_id);

ok(await nobody.GET("/openapi.yaml", { parseAs: "text" }));
const document = ok(await nobody.GET("/openapi.json")) as { paths: Record<string, Record<string, unknown>> };
const methods = ["get", "put", "post", "delete", "patch"];
const missing = Object.entries(document.paths).flatMap(([path, item]) =>
  methods.filter((m) => m in item && !called.has(`${m} ${path}`)).map((m) => `${m} ${path}`),
);
assert.deepEqual(missing, [], "operations of the document that were not called");
console.log(`${called.size} operations called`);
