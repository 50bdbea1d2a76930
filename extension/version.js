// What Browser.getVersion says. The full version comes from the client hints: the user agent's is
// cut to its first number.

export async function describe(navigator) {
  const { userAgent, userAgentData } = navigator;
  const hints = await userAgentData?.getHighEntropyValues(["fullVersionList"]);
  const brand = hints?.fullVersionList?.find((each) => each.brand === "Chromium");
  const cut = /Chrome\/([\d.]+)/.exec(userAgent)?.[1] ?? "0";
  const product = `Chrome/${brand?.version ?? cut}`;
  return () => ({ product, userAgent, protocolVersion: "1.3", revision: "", jsVersion: "" });
}
