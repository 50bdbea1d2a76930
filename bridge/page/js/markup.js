// The markup of an element as it is now, shadow roots included, with nothing secret in it.
//
// Written here, not asked of the browser: its own way to write a page would tell passwords that a
// framework keeps in the `value` attribute, and a copy to take them out of would run page scripts.

const VOID = new Set("area base br col embed hr img input link meta source track wbr basefont bgsound frame keygen param".split(" "));
const RAW = new Set(["style", "script", "xmp", "iframe", "noembed", "noframes", "plaintext", "noscript"]);

function escapeText(text) {
  return text.replace(/[&\u00a0<>]/g, (sign) => ({ "&": "&amp;", "\u00a0": "&nbsp;", "<": "&lt;", ">": "&gt;" })[sign]);
}

function escapeAttribute(text) {
  return text.replace(/[&\u00a0"<>]/g, (sign) => ({ "&": "&amp;", "\u00a0": "&nbsp;", '"': "&quot;", "<": "&lt;", ">": "&gt;" })[sign]);
}

class Markup {
  parts = [];
  length = 0;
  dropped = 0;

  add(text) {
    this.length += text.length;
    if (this.length <= LONGEST_READING) this.parts.push(text);
    else this.dropped += text.length;
  }

  element(element) {
    const name = element.prefix ? `${element.prefix}:${element.localName}` : element.localName;
    this.add(`<${name}${attributesOf(element)}>`);
    if (element.namespaceURI === XHTML && VOID.has(element.localName)) return;
    this.content(element);
    this.add(`</${name}>`);
  }

  content(element) {
    const root = shadowOf(element);
    if (root) {
      this.add(`<template shadowrootmode="${root.mode}">`);
      this.children(root);
      this.add("</template>");
    }
    this.children(element.localName === "template" && element.content ? element.content : element);
  }

  children(parent) {
    const raw = parent.namespaceURI === XHTML && RAW.has(parent.localName);
    const masked = holdsSecret(parent);
    for (const node of parent.childNodes) {
      if (node.nodeType === Node.ELEMENT_NODE) this.element(node);
      else if (node.nodeType === Node.TEXT_NODE && masked && !isBlank(node.data)) this.add(MASK);
      else if (node.nodeType === Node.TEXT_NODE) this.add(raw ? node.data : escapeText(node.data));
      else if (node.nodeType === Node.COMMENT_NODE) this.add(`<!--${node.data}-->`);
    }
  }
}

const XHTML = "http://www.w3.org/1999/xhtml";

function attributesOf(element) {
  let text = "";
  for (const { name, value } of element.attributes) {
    text += ` ${name}="${escapeAttribute(isTelling(element, name, value) ? MASK : value)}"`;
  }
  return text;
}

// Whether the text in it is what somebody typed and nobody should read.
function holdsSecret(parent) {
  return parent.localName === "textarea" ? isSecret(parent) : parent.isContentEditable === true && masksLetters(parent);
}

// Whether this attribute holds what somebody typed and nobody should read.
function isTelling(element, name, value) {
  return name === "value" && value !== "" && element.localName === "input" && isSecret(element);
}

lib.html = (wanted, outer) => {
  const markup = new Markup();
  const element = wanted ? choose(wanted) : document.documentElement;
  if (!wanted && document.doctype) markup.add(`<!DOCTYPE ${document.doctype.name}>\n`);
  if (element && (outer || !wanted)) markup.element(element);
  else if (element) markup.content(element);
  return { text: markup.parts.join("").toWellFormed(), matches: wanted ? matches : 1, dropped: markup.dropped };
};
