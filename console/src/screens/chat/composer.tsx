import type { Chat } from '@parley/client/schemas'
import { ArrowUp, type LucideIcon, Square } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, memo, useEffect, useRef } from 'react'
import { prepareReplyText } from '../../markdown/reply-text.tsx'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { isEnter } from '../../ui/keys.tsx'
import { AttachButton } from './attach-button.tsx'
import { Attachments } from './attachments.tsx'
import { MoreOptions } from './composer-options.tsx'
import { AnswererPicker, InstructionPicker, KnowledgePicker } from './composer-pickers.tsx'
import { useActions, useConversationState } from './conversation-context.ts'
import { Dictation } from './dictation.tsx'
import { attach, changeDraft, draftOf, useDraft } from './drafts.ts'
import { uploadQueryOf } from './drop-zone.tsx'
import { Refusal } from './refusal.tsx'
import { draftKeyOf } from './use-conversation.ts'

const t = translator('chat')

/** The id of the message field. */
export const MESSAGE_FIELD = 'message-field'

const LINES_MAX = 12
/** The distance of notices from the bottom of the page, so that they do not cover the composer. */
const NOTICES_FROM = '8.5rem'

export function Composer({ chatId, chat }: { chatId: string | null; chat: Chat | null }) {
  const here = useHere()
  const { send, stop } = useActions()
  const { isBusy, target } = useConversationState()
  const place = draftKeyOf(here, chatId)
  const { text, attachments, refusal } = useDraft(place)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    document.documentElement.style.setProperty('--toasts-bottom', NOTICES_FROM)
    return () => void document.documentElement.style.removeProperty('--toasts-bottom')
  }, [])
  // Focus the field when a chat opens, except on touch devices: their on-screen keyboard would cover the chat.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each chat focuses the field again
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) field.current?.focus()
  }, [chatId])

  const isUploading = attachments.some(({ upload, error }) => upload === null && error === null)
  const isLoaded = chatId === null || chat !== null
  const canSend = text.trim() !== '' && !isBusy && !isUploading && isLoaded && target !== null
  const press = (event: KeyboardEvent) => {
    if (!isEnter(event)) return
    event.preventDefault()
    if (canSend) send()
  }
  const write = (more: string) => {
    const before = draftOf(place).text
    changeDraft(place, { text: before === '' ? more : `${before.trimEnd()} ${more}` })
    field.current?.focus()
  }
  return (
    <form
      aria-label={t('composer.label')}
      onSubmit={(event) => {
        event.preventDefault()
        if (canSend) send()
      }}
      className="mx-auto flex w-full max-w-3xl shrink-0 flex-col gap-2 px-3 pt-1 pb-3 sm:px-6"
    >
      {refusal && <Refusal error={refusal} onClose={() => changeDraft(place, { refusal: null })} />}
      <div className="flex flex-col gap-1.5 rounded-2xl border border-line-strong/60 bg-raised p-2 focus-within:border-accent">
        <Attachments place={place} attachments={attachments} />
        <textarea
          ref={field}
          id={MESSAGE_FIELD}
          aria-label={t('composer.message')}
          placeholder={t('composer.placeholder')}
          rows={Math.min(LINES_MAX, text.split('\n').length)}
          value={text}
          onChange={({ target: { value } }) => {
            prepareReplyText()
            changeDraft(place, { text: value })
          }}
          onKeyDown={press}
          className="field-sizing-content max-h-72 min-h-9 w-full resize-none touch:min-h-10 bg-transparent px-2 py-1.5 outline-none"
        />
        <div className="flex items-center gap-1">
          <Tools chatId={chatId} />
          <Dictation onText={write} />
          {isBusy ? (
            <SendButton icon={Square} label={t('composer.stop')} onClick={stop} />
          ) : (
            <SendButton
              icon={ArrowUp}
              type="submit"
              label={isUploading ? t('composer.uploading') : t('composer.send')}
              disabled={!canSend}
            />
          )}
        </div>
      </div>
    </form>
  )
}

/** The composer's buttons. Memoized, so that they do not render again on each key press. */
const Tools = memo(({ chatId }: { chatId: string | null }) => {
  const here = useHere()
  const add = (files: File[]) =>
    attach(draftKeyOf(here, chatId), uploadQueryOf(here.organization.id, chatId), files)
  return (
    <>
      <AttachButton place={draftKeyOf(here, chatId)} onFiles={add} />
      <div className="flex min-w-0 grow items-center gap-1">
        <AnswererPicker />
        <span className="hidden shrink-0 items-center gap-1 sm:flex">
          <KnowledgePicker />
          <InstructionPicker />
        </span>
        <MoreOptions />
      </div>
    </>
  )
})

const SendButton = ({
  icon: Icon,
  label,
  ...rest
}: { icon: LucideIcon; label: string } & ComponentProps<'button'>) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    {...rest}
    className={`${buttonLook('primary')} w-9 px-0!`}
  >
    <Icon aria-hidden size={18} />
  </button>
)
