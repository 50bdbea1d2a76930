// Puppeteer at our endpoint, as playwright.cjs.
const puppeteer = require("puppeteer-core");

const { ENDPOINT, TOKEN, SITE, OTHER, DENIED } = process.env;

async function main() {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const browserWSEndpoint = `${ENDPOINT.replace("http", "ws")}/devtools/browser`;
  const browser = await puppeteer.connect({ browserWSEndpoint, headers });
  const seen = { found: await Promise.all((await browser.pages()).map((each) => each.title())) };

  const page = await browser.newPage();
  await page.goto(`${SITE}/form`);
  await page.type("#name", "Ada");
  await page.click("#news");
  await page.select("#colour", "r");
  seen.form = await page.evaluate(() => [
    document.querySelector("#name").value,
    document.querySelector("#news").checked,
    document.querySelector("#colour").value,
  ]);

  page.once("dialog", (dialog) => dialog.accept());
  seen.confirmed = await page.evaluate(() => confirm("Go on?"));
  const [target] = await Promise.all([
    new Promise((resolve) => browser.once("targetcreated", resolve)),
    page.evaluate((url) => void open(url), `${SITE}/`),
  ]);
  const popup = await target.page();
  await popup.waitForSelector("h1");
  seen.popup = popup.url();
  await popup.close();

  await page.evaluate((url) => {
    document.body.innerHTML = `<iframe src="${url}"></iframe>`;
  }, `${OTHER}/form`);
  const inner = await page.waitForFrame((frame) => frame.url() === `${OTHER}/form`);
  await (await inner.waitForSelector("#name")).type("Grace");
  seen.inner = await inner.$eval("#name", (field) => field.value);

  seen.denied = await page.goto(DENIED).then(() => "came", (error) => error.message.split("\n")[0]);
  await page.goto(`${SITE}/`);
  seen.bytes = (await page.screenshot()).length;
  const cdp = await page.createCDPSession();
  seen.raw = (await cdp.send("Runtime.evaluate", { expression: "6 * 7" })).result.value;
  seen.context = await browser.createBrowserContext().then(() => "made", (error) => error.message.split("\n")[0]);
  await page.close();
  seen.left = (await browser.pages()).length;
  await browser.disconnect();
  process.stdout.write(JSON.stringify(seen));
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});
