// A certified OpenID provider for a test. It prints its issuer once it listens, and answers 503 until it reads the address to which it sends
// browsers back. Everybody may log in, as the subject that they type.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import Provider from "oidc-provider";

let answer = (_, res) => res.writeHead(503).end();
const server = createServer((req, res) => answer(req, res));
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));

createInterface({ input: process.stdin }).once("line", (redirect) => {
  const provider = new Provider(`http://127.0.0.1:${server.address().port}`, {
    clients: [{ client_id: "sandlot", client_secret: "a secret of 32 characters and more", redirect_uris: [redirect] }],
    claims: { email: ["email", "email_verified"] },
    findAccount: (_, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@school.example`, email_verified: id !== "unverified" }),
    }),
  });
  answer = provider.callback();
  console.log("ready");
});
