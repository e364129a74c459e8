import type { ReactNode } from 'react'
import { Late, useLate } from './late.ts'
import type { MarkdownProps } from './markdown.tsx'

const markdown = new Late(async () => (await import('./markdown.tsx')).Markdown)

/** Has it there when the first reply comes. */
export const prepareReplyText = (): void => void markdown.load()

/** What a model has written, drawn from its Markdown; as it was written until that can be. */
export function ReplyText(props: MarkdownProps): ReactNode {
  const Markdown = useLate(markdown, true)
  if (Markdown) return <Markdown {...props} />
  return <p className="wrap-anywhere whitespace-pre-wrap text-ink">{props.text}</p>
}
