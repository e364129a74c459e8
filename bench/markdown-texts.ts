/* Sample replies for rendering. A token has at most six characters. */

const SECTION = `## What happens to a request

A request is **checked** first, and then *read*; what is \`optional\` has a default. See [the manual](https://example.com/manual) for the rest, and [1] for where that is said.

1. The token is looked at, and whoever sent it
2. The body is read, up to \`1 MB\`
   - nested once
   - and **twice**
3. The answer is written

\`\`\`ts
export async function answer(request: Request): Promise<Response> {
  const body = await request.json()
  // Nothing else is done here.
  return new Response(JSON.stringify({ ok: true, body }), { status: 200 })
}
\`\`\`

| Step | Time | Share |
|---|---:|---|
| reading | 12 ms | a third |
| writing | 20 ms | **more** than half |
| waiting | 3 ms | little |

The sum is $\\sum_{i=1}^{n} x_i^2$, which is at most

$$
\\int_0^1 \\frac{f(x)}{1 + x^2}\\,dx \\le \\left(\\frac{\\pi}{4}\\right)^2
$$

> It is said that nothing is free, and that is so here.

`

const tokensIn = (text: string): number => text.match(/\s*\S{1,6}/g)?.length ?? 0

/** Returns headings, lists, code, tables and formulas, repeated. */
export function mixed(tokens: number): string {
  let text = ''
  while (tokensIn(text) < tokens) text += SECTION
  return (text.match(/\s*\S{1,6}/g) ?? []).slice(0, tokens).join('')
}

export const longReply = mixed

export const longCode = (lines: number): string =>
  `Here it is:\n\n\`\`\`ts\n${Array.from({ length: lines }, (_, line) => `  const value${line} = await read(${line}, 'name')\n`).join('')}\`\`\`\n`

export const longTable = (rows: number): string =>
  `| Name | Count | Remark |\n|---|---:|---|\n${Array.from({ length: rows }, (_, row) => `| row ${row} | ${row * 7} | **some** remark of \`${row}\` |\n`).join('')}\n`
