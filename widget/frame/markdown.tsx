import { lexer, type Token, type Tokens } from 'marked'
import { Component, type ComponentChildren, type VNode } from 'preact'
import { CodeBlock } from './code-block.tsx'
import { decodeEntities } from './entities.ts'
import { parseAddress } from './web-address.ts'

/** Quotes and lists nested deeper than this appear as Markdown source. */
const DEPTH_MAX = 16
const LINK_PROTOCOLS = ['https:', 'http:', 'mailto:']

/**
 * Renders Markdown as elements, without HTML: tags in the source appear as text. Renders images as links, because
 * loading an image could send the conversation to another server in the image's URL.
 */
export class Markdown extends Component<{ text: string }> {
  override shouldComponentUpdate({ text }: { text: string }): boolean {
    return text !== this.props.text
  }

  render({ text }: { text: string }): ComponentChildren {
    let tokens: Token[]
    try {
      tokens = lexer(text)
    } catch {
      // The nesting was too deep for the call stack of the parser.
      return <p>{text}</p>
    }
    // biome-ignore lint/suspicious/noArrayIndexKey: blocks only grow at the end
    return tokens.map((token, index) => <Block key={index} token={token} />)
  }
}

/** A block such as a paragraph, list or table. Renders again only when its source changes. */
class Block extends Component<{ token: Token }> {
  override shouldComponentUpdate({ token }: { token: Token }): boolean {
    return token.raw !== this.props.token.raw || token.type !== this.props.token.type
  }

  render({ token }: { token: Token }): ComponentChildren {
    return block(token, 0)
  }
}

function block(token: Token, depth: number): ComponentChildren {
  if (depth > DEPTH_MAX) return <p>{token.raw}</p>
  switch (token.type) {
    case 'space':
    case 'def':
      return null
    case 'code':
      return <CodeBlock text={token['text']} language={token['lang'] ?? ''} />
    case 'heading':
      return <Heading level={token['depth']}>{inlines(token.tokens, depth)}</Heading>
    case 'hr':
      return <hr />
    case 'blockquote':
      return <blockquote>{blocks(token.tokens, depth)}</blockquote>
    case 'list':
      return list(token as Tokens.List, depth)
    case 'table':
      return table(token as Tokens.Table, depth)
    case 'html':
      return <p class="as-written">{token.raw.trim()}</p>
    case 'text':
      // The content of a list item that has no paragraphs.
      return token.tokens ? inlines(token.tokens, depth) : decodeEntities(token['text'])
    case 'paragraph':
      return <p>{inlines(token.tokens, depth)}</p>
    default:
      return inline(token, depth)
  }
}

const blocks = (tokens: Token[] = [], depth: number): ComponentChildren[] =>
  tokens.map((token) => block(token, depth + 1))

/** A heading from h3 to h5. The page's own headings rank above it. */
function Heading({ level, children }: { level: number; children: ComponentChildren }): VNode {
  if (level === 1) return <h3>{children}</h3>
  return level === 2 ? <h4>{children}</h4> : <h5>{children}</h5>
}

function list({ ordered, start, items }: Tokens.List, depth: number): VNode {
  const children = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items only grow at the end
    <li key={index} class={item.task ? 'task' : undefined}>
      {blocks(item.tokens, depth)}
    </li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{children}</ol> : <ul>{children}</ul>
}

function table({ header, rows }: Tokens.Table, depth: number): VNode {
  const cellsOf = (cells: Tokens.TableCell[], Cell: 'th' | 'td'): VNode[] =>
    cells.map(({ tokens, align }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
      <Cell key={index} class={align ? `align-${align}` : undefined}>
        {inlines(tokens, depth)}
      </Cell>
    ))
  return (
    // Wide tables can be scrolled, including by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: WCAG 2.1.1
    <div class="table" tabIndex={0}>
      <table>
        <thead>
          <tr>{cellsOf(header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((cells, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows only grow at the end
            <tr key={index}>{cellsOf(cells, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const inlines = (tokens: Token[] = [], depth: number): ComponentChildren[] =>
  tokens.map((token) => inline(token, depth + 1))

function inline(token: Token, depth: number): ComponentChildren {
  if (depth > DEPTH_MAX) return token.raw
  switch (token.type) {
    case 'strong':
      return <strong>{inlines(token.tokens, depth)}</strong>
    case 'em':
      return <em>{inlines(token.tokens, depth)}</em>
    case 'del':
      return <del>{inlines(token.tokens, depth)}</del>
    case 'codespan':
      return <code>{token['text']}</code>
    case 'br':
      return <br />
    case 'link':
      return <Link address={token['href']}>{inlines(token.tokens, depth)}</Link>
    case 'image':
      return <Link address={token['href']}>{decodeEntities(token['text'] || token['href'])}</Link>
    case 'checkbox':
      return token['checked'] ? '☑ ' : '☐ '
    case 'escape':
      return token['text']
    case 'text':
      return token.tokens ? inlines(token.tokens, depth) : decodeEntities(token['text'])
    default:
      return token.raw
  }
}

function Link({ address, children }: { address: string; children: ComponentChildren }): VNode {
  if (!isSafe(address)) return <>{children}</>
  return (
    <a href={address} title={address} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}

/** Rejects relative URLs: a link in a reply must not lead to a page of this server. */
const isSafe = (address: string): boolean => LINK_PROTOCOLS.includes(parseAddress(address)?.protocol ?? '')
