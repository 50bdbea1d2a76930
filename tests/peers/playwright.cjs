// Playwright at our endpoint. ENDPOINT, TOKEN, SITE, OTHER and DENIED come from the environment;
// what was seen goes to standard output as JSON.
const { chromium } = require("playwright-core");

const { ENDPOINT, TOKEN, SITE, OTHER, DENIED } = process.env;

async function main() {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const browser = await chromium.connectOverCDP(ENDPOINT, { headers });
  const context = browser.contexts()[0];
  const seen = { found: await Promise.all(context.pages().map((each) => each.title())) };

  const page = await context.newPage();
  await page.goto(`${SITE}/form`);
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("Send me news").check();
  await page.selectOption("#colour", "r");
  seen.form = [await page.inputValue("#name"), await page.isChecked("#news"), await page.inputValue("#colour")];

  page.once("dialog", (dialog) => dialog.accept());
  seen.confirmed = await page.evaluate(() => confirm("Go on?"));
  const [popup] = await Promise.all([
    context.waitForEvent("page"),
    page.evaluate((url) => void open(url), `${SITE}/`),
  ]);
  await popup.waitForLoadState();
  seen.popup = popup.url();
  await popup.close();

  seen.routed = await routed(page);
  await page.evaluate((url) => {
    document.body.innerHTML = `<iframe src="${url}"></iframe>`;
  }, `${OTHER}/form`);
  const inner = page.frameLocator("iframe");
  await inner.getByLabel("Name").fill("Grace");
  seen.inner = await inner.getByLabel("Name").inputValue();

  seen.denied = await page.goto(DENIED).then(() => "came", (error) => error.message.split("\n")[0]);
  await page.goto(`${SITE}/`);
  seen.bytes = (await page.screenshot()).length;
  const cdp = await context.newCDPSession(page);
  seen.raw = (await cdp.send("Runtime.evaluate", { expression: "6 * 7" })).result.value;
  seen.context = await browser.newContext().then(() => "made", (error) => error.message.split("\n")[0]);
  await page.close();
  seen.left = context.pages().length;
  await browser.close();
  process.stdout.write(JSON.stringify(seen));
}

// An answer of the client's own in the server's stead.
async function routed(page) {
  await page.route("**/made-up", (route) => route.fulfill({ body: "ours" }));
  return page.evaluate(() => fetch("/made-up").then((answer) => answer.text()));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
