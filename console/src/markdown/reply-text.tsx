import type { ReactNode } from 'react'
import { Late, useLate } from './late.ts'
import type { MarkdownProps } from './markdown.tsx'

const markdown = new Late(async () => (await import('./markdown.tsx')).Markdown)

/** Preloads the renderer for the first reply. */
export const prepareReplyText = (): void => void markdown.load()

/** The Markdown of a reply. Plain text until the renderer is loaded. */
export function ReplyText(props: MarkdownProps): ReactNode {
  const Markdown = useLate(markdown, true)
  if (Markdown) return <Markdown {...props} />
  return <p className="wrap-anywhere whitespace-pre-wrap text-ink">{props.text}</p>
}
