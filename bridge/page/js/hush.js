// By itself, and in the page's own world: a page that is being left opens no more dialogs.
//
// Overriding what opens them is not enough where the page has kept the functions, so what it has put
// off is taken back as well.
(() => {
  const MOST = 100000; // timers; more would keep us here longer than the dialogs
  const quietly = (deed) => {
    try {
      return deed();
    } catch {
      return undefined; // the page has had its hands on it, or it is a document of another origin
    }
  };
  const takeBack = (last, cancel) => {
    for (let number = last; number > Math.max(0, last - MOST); number--) cancel(number);
  };
  const hush = (view) => {
    for (const name of ["alert", "confirm", "prompt", "print"]) quietly(() => Object.defineProperty(view, name, { value: () => undefined }));
    quietly(() => takeBack(view.setTimeout(() => {}), (number) => view.clearTimeout(number)));
    quietly(() => takeBack(view.requestAnimationFrame(() => {}), (number) => view.cancelAnimationFrame(number)));
    for (let index = 0; index < view.frames.length; index++) quietly(() => hush(view.frames[index]));
  };
  quietly(() => hush(window));
})();
