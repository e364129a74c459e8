import type { ReactNode } from 'react'
import { Late, useLate } from './late.ts'
import type { MarkdownProps } from './markdown.tsx'

const markdown = new Late(async () => (await import('./markdown.tsx')).Markdown)

/** Loads the Markdown renderer before the first reply needs it. */
export const prepareReplyText = (): void => void markdown.load()

/** Renders the Markdown of a reply. Shows the source until the renderer is loaded. */
export function ReplyText(props: MarkdownProps): ReactNode {
  const Markdown = useLate(markdown, true)
  if (Markdown) return <Markdown {...props} />
  return <p className="wrap-anywhere whitespace-pre-wrap text-ink">{props.text}</p>
}
