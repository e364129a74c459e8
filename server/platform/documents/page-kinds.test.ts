import { afterAll, describe, expect, test } from 'vitest'
import { createDocuments } from './documents.ts'

/** Web pages that write the same content in different ways: encodings, merged cells, and text behind a click. */

const documents = createDocuments()
afterAll(() => documents.close())

const HTML = 'text/html'
const read = (page: string | Buffer, contentType = HTML) =>
  documents.readPage({ bytes: Buffer.from(page), contentType, url: 'https://shop.example/help/' })
const textOf = async (page: string | Buffer, contentType = HTML) => (await read(page, contentType)).text
const paragraph = (about: string) =>
  `<p>${about} is the subject of a paragraph that is long enough to be kept as the main content of this page, with several words in it. It explains ${about} in detail, and explains it once more so that the reader is sure.</p>`
const page = (body: string, head = '') =>
  `<!doctype html><html lang="en"><head><title>Help</title>${head}</head><body><main><h1>Help</h1>${paragraph('The shop')}${body}</main></body></html>`

/** 退款 in several encodings. */
const REFUND = {
  gbk: [0xcd, 0xcb, 0xbf, 0xee],
  big5: [0xb0, 0x68, 0xb4, 0xda],
  euc: [0xc2, 0xe0, 0xb4, 0xbe],
}

describe('the encoding of a page is found', () => {
  const late = (declaration: string, before = `<!--${' '.repeat(1_500)}-->`) =>
    `<!doctype html><html><head>${before}${declaration}<title>Late</title></head><body><main><p>The policy is called `
  const withBytes = (head: string, bytes: number[], before?: string) =>
    Buffer.concat([
      Buffer.from(late(head, before), 'latin1'),
      Buffer.from(bytes),
      Buffer.from(
        ' in Chinese. This paragraph is long enough to be kept as the main content of the page.</p>',
      ),
    ])
  const CALLED = 'called 退款 in Chinese'
  const scripts = `<script>var page = '<meta charset="koi8-r">';${' '.repeat(2_000)}</script>`
  test.each<[string, Buffer, string?]>([
    ['a late meta element', withBytes('<meta charset="gbk">', REFUND.gbk)],
    ['a late meta element without quotes', withBytes('<meta charset=gb2312>', REFUND.gbk)],
    ['a late meta element in capitals', withBytes('<META CHARSET="GB18030" />', REFUND.gbk)],
    ['a late meta element in Big5', withBytes("<meta charset='big5'>", REFUND.big5)],
    ['a meta element after a long script', withBytes('<meta charset="gbk">', REFUND.gbk, scripts)],
    [
      'a meta element after a long style',
      withBytes('<meta charset="gbk">', REFUND.gbk, `<style>${'a{} '.repeat(600)}</style>`),
    ],
    [
      'a late http-equiv',
      withBytes('<meta http-equiv="Content-Type" content="text/html; charset=gbk">', REFUND.gbk),
    ],
    [
      'a late http-equiv with its attributes in another order',
      withBytes("<meta content='text/html;charset=gbk' http-equiv=content-type>", REFUND.gbk),
    ],
    [
      'a meta element in a comment is ignored',
      withBytes('<!--<meta charset="koi8-r">--><meta charset="gbk">', REFUND.gbk),
    ],
    [
      'another meta element that mentions an encoding is ignored',
      withBytes('<meta name="description" content="about charset=koi8-r"><meta charset="gbk">', REFUND.gbk),
    ],
    ['a wrong header', withBytes('<meta charset="gbk">', REFUND.gbk), `${HTML}; charset=utf-8`],
    ['a default header', withBytes('<meta charset="gbk">', REFUND.gbk), `${HTML}; charset=ISO-8859-1`],
    [
      'a right header, and a wrong meta element',
      withBytes('<meta charset="utf-8">', REFUND.gbk),
      `${HTML}; charset=gbk`,
    ],
    [
      'UTF-8 under a header for Latin-1',
      withBytes('', [...Buffer.from('退款')]),
      `${HTML}; charset=iso-8859-1`,
    ],
    [
      'UTF-8 under a meta element for Windows-1252',
      withBytes('<meta charset="windows-1252">', [...Buffer.from('退款')]),
    ],
    [
      'a byte order mark, whatever is declared',
      Buffer.concat([
        Buffer.from([0xef, 0xbb, 0xbf]),
        withBytes('<meta charset="gbk">', [...Buffer.from('退款')]),
      ]),
      `${HTML}; charset=gbk`,
    ],
    [
      'UTF-16 without a byte order mark',
      Buffer.from(withBytes('', [...Buffer.from('退款')]).toString(), 'utf16le'),
    ],
    [
      'big-endian UTF-16 without a byte order mark',
      Buffer.from(withBytes('', [...Buffer.from('退款')]).toString(), 'utf16le').swap16(),
    ],
    [
      'an XML declaration',
      Buffer.concat([Buffer.from('<?xml version="1.0" encoding="GBK"?>'), withBytes('', REFUND.gbk)]),
    ],
  ])('from %s', async (_what, bytes, contentType = HTML) => {
    expect(await textOf(bytes, contentType)).toContain(CALLED)
  })
})

describe('a table with merged cells', () => {
  const rows = async (table: string) =>
    (await textOf(page(`<table>${table}</table>`)))
      .split('\n')
      .filter((line) => line.startsWith('|') && !line.includes('---'))
      .map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      )
  const HEAD = '<tr><th>Plan</th><th>Seats</th><th>Price</th></tr>'
  test.each<[string, string, string[][]]>([
    [
      'in the first column',
      `${HEAD}<tr><td rowspan="2">Pro</td><td>ten</td><td>10</td></tr><tr><td>twenty</td><td>20</td></tr>`,
      [
        ['Pro', 'ten', '10'],
        ['Pro', 'twenty', '20'],
      ],
    ],
    [
      'in the middle',
      `${HEAD}<tr><td>A</td><td rowspan="3">many</td><td>1</td></tr><tr><td>B</td><td>2</td></tr><tr><td>C</td><td>3</td></tr><tr><td>D</td><td>few</td><td>4</td></tr>`,
      [
        ['A', 'many', '1'],
        ['B', 'many', '2'],
        ['C', 'many', '3'],
        ['D', 'few', '4'],
      ],
    ],
    [
      'in the last column',
      `${HEAD}<tr><td>A</td><td>1</td><td rowspan=2>same</td></tr><tr><td>B</td><td>2</td></tr>`,
      [
        ['A', '1', 'same'],
        ['B', '2', 'same'],
      ],
    ],
    [
      'in two columns',
      `${HEAD}<tr><td rowspan="3">A</td><td rowspan="2">1</td><td>x</td></tr><tr><td>y</td></tr><tr><td>2</td><td>z</td></tr>`,
      [
        ['A', '1', 'x'],
        ['A', '1', 'y'],
        ['A', '2', 'z'],
      ],
    ],
    [
      'across columns and rows',
      `${HEAD}<tr><td colspan="2" rowspan="2">A</td><td>x</td></tr><tr><td>y</td></tr>`,
      [
        ['A', '', 'x'],
        ['A', '', 'y'],
      ],
    ],
    [
      'to the end',
      `${HEAD}<tr><td rowspan="0">A</td><td>1</td><td>x</td></tr><tr><td>2</td><td>y</td></tr><tr><td>3</td><td>z</td></tr>`,
      [
        ['A', '1', 'x'],
        ['A', '2', 'y'],
        ['A', '3', 'z'],
      ],
    ],
    [
      'beyond its row group',
      `<thead>${HEAD}</thead><tbody><tr><td rowspan="9">A</td><td>1</td><td>x</td></tr></tbody><tbody><tr><td>B</td><td>2</td><td>y</td></tr></tbody>`,
      [
        ['A', '1', 'x'],
        ['B', '2', 'y'],
      ],
    ],
    [
      'over an empty row',
      `${HEAD}<tr><td rowspan="3">A</td><td>1</td><td>x</td></tr><tr></tr><tr><td>2</td><td>y</td></tr>`,
      [
        ['A', '1', 'x'],
        ['A', '2', 'y'],
      ],
    ],
    [
      'in capitals',
      `${HEAD}<TR><TD ROWSPAN="2">A</TD><TD>1</TD><TD>x</TD></TR><TR><TD>2</TD><TD>y</TD></TR>`,
      [
        ['A', '1', 'x'],
        ['A', '2', 'y'],
      ],
    ],
    [
      'without end tags',
      `${HEAD}<tr><td rowspan=2>A<td>1<td>x<tr><td>2<td>y`,
      [
        ['A', '1', 'x'],
        ['A', '2', 'y'],
      ],
    ],
    [
      'with an invalid span',
      `${HEAD}<tr><td rowspan="-2">A</td><td rowspan="x">1</td><td colspan="0">x</td></tr><tr><td>B</td><td>2</td><td>y</td></tr>`,
      [
        ['A', '1', 'x'],
        ['B', '2', 'y'],
      ],
    ],
  ])('%s has each value in its column', async (_what, table, expected) => {
    expect((await rows(table)).slice(1)).toEqual(expected)
  })

  test('in its head has the lower names in their columns', async () => {
    const head =
      '<thead><tr><th rowspan="2">Plan</th><th colspan="2">Price</th></tr><tr><th>Month</th><th>Year</th></tr></thead>'
    expect(await rows(`${head}<tr><td>Pro</td><td>10</td><td>100</td></tr>`)).toEqual([
      ['Plan', 'Price', ''],
      ['Plan', 'Month', 'Year'],
      ['Pro', '10', '100'],
    ])
  })
})

describe('text that a page shows after a click is kept', () => {
  const ANSWER = 'We refund your money within thirty days.'
  const QUESTION = 'Can I return an item?'
  test.each([
    ['display: none', `<h3>${QUESTION}</h3><div style="display: none"><p>${ANSWER}</p></div>`],
    [
      'display:none !important',
      `<h3>${QUESTION}</h3><p style="color:red;DISPLAY:none !important;">${ANSWER}</p>`,
    ],
    ['visibility: hidden', `<h3>${QUESTION}</h3><div style="visibility: hidden;">${ANSWER}</div>`],
    ['opacity: 0', `<h3>${QUESTION}</h3><div style="max-height: 0; opacity: 0">${ANSWER}</div>`],
    ['hidden', `<h3>${QUESTION}</h3><div hidden><p>${ANSWER}</p></div>`],
    ['HIDDEN', `<H3>${QUESTION}</H3><DIV HIDDEN STYLE="DISPLAY: NONE"><P>${ANSWER}</P></DIV>`],
    ['hidden="until-found"', `<h3>${QUESTION}</h3><div hidden="until-found">${ANSWER}</div>`],
    ['aria-hidden', `<h3>${QUESTION}</h3><div class="panel" aria-hidden="true"><p>${ANSWER}</p></div>`],
    ['a class', `<h3>${QUESTION}</h3><div class="answer hidden">${ANSWER}</div>`],
    ['details', `<details><summary>${QUESTION}</summary><p>${ANSWER}</p></details>`],
    [
      'details with hidden content',
      `<details><summary>${QUESTION}</summary><div hidden>${ANSWER}</div></details>`,
    ],
    [
      'an accordion of buttons',
      `<div class="accordion"><h3 class="accordion-header"><button aria-expanded="false" aria-controls="a">${QUESTION}</button></h3><div id="a" class="accordion-collapse collapse" hidden>${ANSWER}</div></div>`,
    ],
    [
      'a button without a heading',
      `<div><button type="button" aria-expanded="false">${QUESTION}</button><div aria-hidden="true" style="display:none">${ANSWER}</div></div>`,
    ],
    [
      'a label',
      `<div class="faq"><input type="checkbox" id="q"><label for="q">${QUESTION}</label><div class="faq-answer" style="max-height:0">${ANSWER}</div></div>`,
    ],
    [
      'a list of questions',
      `<dl><dt><button aria-expanded="false">${QUESTION}</button></dt><dd style="display:none">${ANSWER}</dd></dl>`,
    ],
    [
      'a panel of tabs',
      `<h3>${QUESTION}</h3><div role="tabpanel" aria-hidden="true" hidden><p>${ANSWER}</p><p>See <a href="/terms">the terms</a>.</p></div>`,
    ],
    ['the rest of a text', `<p>${QUESTION} <span class="more" style="display:none">${ANSWER}</span></p>`],
    [
      'nested hidden elements',
      `<h3>${QUESTION}</h3><div hidden><section style="display:none"><p aria-hidden="true">${ANSWER}</p></section></div>`,
    ],
    [
      'an answer of one word',
      `<h3>${QUESTION}</h3><div hidden>We refund your money within thirty days.</div>`,
    ],
  ])('hidden by %s', async (_what, body) => {
    const text = await textOf(page(body))
    expect(text).toContain(QUESTION)
    expect(text).toContain(ANSWER)
  })

  test('also of a page that has nothing else', async () => {
    const text = await textOf(`<html><body><div hidden><p>${ANSWER}</p></div></body></html>`)
    expect(text).toContain(ANSWER)
  })

  const NOISE = 'Nobody should read these particular words here.'
  const links = Array.from({ length: 6 }, (_, at) => `<li><a href="/${at}">${NOISE}</a></li>`).join('')
  test.each([
    ['a script', `<script>"${NOISE}"</script>`],
    ['a template', `<template><p>${NOISE}</p></template>`],
    ['a style', `<style>a::after{content:"${NOISE}"}</style>`],
    ['a script of data', `<script type="text/template"><p>${NOISE}</p></script>`],
    ['a menu', `<nav style="display:none"><ul>${links}</ul></nav>`],
    ['a menu of a class', `<div class="mobile-menu" style="display:none"><p>${NOISE}</p></div>`],
    ['a list of links', `<ul hidden>${links}</ul>`],
    ['a menu of a role', `<div role="menu" aria-hidden="true"><p>${NOISE}</p></div>`],
    ['a cookie banner', `<div id="cookie-banner" style="display:none"><p>${NOISE}</p></div>`],
    ['a consent dialog', `<div class="gdprConsent" hidden><p>${NOISE}</p></div>`],
    ['a dialog', `<div role="dialog" aria-hidden="true" style="display:none"><p>${NOISE}</p></div>`],
    [
      'a modal',
      `<div class="modal fade" aria-hidden="true"><div class="modal-body"><p>${NOISE}</p></div></div>`,
    ],
    ['a newsletter', `<div class="newsletter-popup hidden"><p>${NOISE}</p></div>`],
    ['a message of a form', `<form><p class="error" hidden>${NOISE}</p></form>`],
    ['a message of success', `<p class="success-message" style="display:none">${NOISE}</p>`],
    ['an icon', `<p>Text <span aria-hidden="true">${NOISE}</span></p>`],
  ])('but not %s', async (_what, body) => {
    const text = await textOf(page(`${body}<h3>${QUESTION}</h3><div hidden>${ANSWER}</div>`))
    expect(text).toContain(ANSWER)
    expect(text).not.toContain(NOISE)
  })
})

describe('the refresh of a page', () => {
  const REDIRECT = { isRedirect: true }
  test.each<[string, string | null, object?]>([
    ['<meta http-equiv="refresh" content="0; url=/next">', 'https://shop.example/next'],
    ['<META HTTP-EQUIV="Refresh" CONTENT="0;URL=/next">', 'https://shop.example/next'],
    [`<meta http-equiv=refresh content="0;url='/next'">`, 'https://shop.example/next'],
    [
      `<meta http-equiv='refresh' content='3; url="next?a=1&amp;b=2"'>`,
      'https://shop.example/help/next?a=1&b=2',
    ],
    ['<meta content="5,url=../next" http-equiv="refresh">', 'https://shop.example/next'],
    ['<meta http-equiv="refresh" content=" 0.5 ;  url = //other.example/x ">', 'https://other.example/x'],
    ['<meta http-equiv="refresh" content="0 http://other.example/x#part">', 'http://other.example/x'],
    ['<meta http-equiv="refresh" content="0; /next">', 'https://shop.example/next'],
    ['<base href="/b/"><meta http-equiv="refresh" content="0; url=next">', 'https://shop.example/b/next'],
    [
      '<meta http-equiv="refresh" content="60; url=/next">',
      'https://shop.example/next',
      { isRedirect: false },
    ],
    [
      '<noscript><meta http-equiv="refresh" content="0; url=/next"></noscript>',
      'https://shop.example/next',
      { isRedirect: false },
    ],
    [
      '<meta http-equiv="refresh" content="x"><meta http-equiv="refresh" content="0;url=/b">',
      'https://shop.example/b',
    ],
    ['<meta http-equiv="refresh" content="30">', null],
    ['<meta http-equiv="refresh" content="0; url=">', null],
    ['<meta http-equiv="refresh" content="0; url=javascript:alert(1)">', null],
    ['<meta http-equiv="refresh" content="url=/next">', null],
    ['<meta name="refresh" content="0; url=/next">', null],
    ['<!-- <meta http-equiv="refresh" content="0; url=/next"> -->', null],
    ['<script>"<meta http-equiv=refresh content=0;url=/x>"</script>', null],
    ['<template><meta http-equiv="refresh" content="0; url=/next"></template>', null],
  ])('%s', async (head, url, more = REDIRECT) => {
    const { refresh } = await read(`<html><head>${head}</head><body></body></html>`)
    expect(refresh).toEqual(url === null ? null : { url, ...more })
  })
})
