import { FileUp, RotateCcw, X } from 'lucide-react'
import { type DragEvent, type ReactNode, useRef, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { errorText } from '../../ui/error-text.ts'
import { formatBytes } from '../../ui/format.ts'
import type { OutgoingFile, Uploads } from './use-uploads.ts'

const t = translator('knowledge')

/** The file types that the server accepts (api/kb/upload_file). */
const KINDS = '.pdf,.txt,.docx,.xlsx,.pptx,.odt,.ods,.odp,.rtf,.epub,.eml,.csv,.md'

export function PickFiles({
  uploads,
  kind = 'primary',
}: {
  uploads: Uploads
  kind?: 'primary' | 'secondary'
}) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        accept={KINDS}
        aria-label={t('uploads.input')}
        className="hidden"
        onChange={({ target }) => {
          if (target.files) uploads.add(target.files)
          // Clear the field. Otherwise, choosing the same file again would not fire an event.
          target.value = ''
        }}
      />
      <Button kind={kind} icon={FileUp} onClick={() => input.current?.click()}>
        {t('uploads.add')}
      </Button>
    </>
  )
}

/** Uploads files that the user drops on `children`. `uploads` is null if the user may not add files. */
export function DropFiles({ uploads, children }: { uploads: Uploads | null; children: ReactNode }) {
  const [depth, setDepth] = useState(0)
  if (!uploads) return <>{children}</>
  const take = (event: DragEvent, change: (depth: number) => number) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setDepth(change)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same
    <div
      className="relative flex min-h-64 flex-col gap-4"
      onDragEnter={(event) => take(event, (before) => before + 1)}
      onDragLeave={(event) => take(event, (before) => before - 1)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        take(event, () => 0)
        uploads.add(event.dataTransfer.files)
      }}
    >
      {children}
      <div
        aria-hidden
        className={classNames(
          'pointer-events-none absolute -inset-2 z-10 items-center justify-center rounded-2xl border-2 border-dashed border-accent bg-accent-soft font-medium text-accent',
          depth > 0 ? 'flex' : 'hidden',
        )}
      >
        {t('uploads.drop')}
      </div>
    </div>
  )
}

export function OutgoingFiles({ uploads }: { uploads: Uploads }) {
  const { files } = uploads
  const sending = files.filter(({ error }) => error === null)
  const sent = sending.reduce((sum, { share }) => sum + share, 0)
  return (
    <>
      <p role="status" className="sr-only">
        {sending.length > 0 &&
          // Round to steps of 10 %, because screen readers announce every change.
          t('uploads.progress', {
            count: sending.length,
            share: Math.floor((10 * sent) / sending.length) / 10,
          })}
      </p>
      {files.length > 0 && (
        <ul
          aria-label={t('uploads.label')}
          className="divide-y divide-line rounded-2xl border border-line bg-raised"
        >
          {files.map((one) => (
            <OutgoingRow key={one.key} one={one} uploads={uploads} />
          ))}
        </ul>
      )}
    </>
  )
}

function OutgoingRow({ one: { key, file, share, error }, uploads }: { one: OutgoingFile; uploads: Uploads }) {
  return (
    <li className="flex items-center gap-3 px-4 py-2.5 text-sm">
      <div className="flex min-w-0 grow flex-col gap-1">
        <div className="flex items-baseline justify-between gap-3">
          <span className="min-w-0 truncate font-medium">{file.name}</span>
          <span className="shrink-0 text-muted tabular-nums">
            {error
              ? formatBytes(file.size)
              : share === 1
                ? t('uploads.checking')
                : t('uploads.percent', { share: Math.floor(share * 100) / 100 })}
          </span>
        </div>
        {error ? (
          <p role="alert" className="text-danger">
            {errorText(error)}
          </p>
        ) : (
          <Bar share={share} />
        )}
      </div>
      {error && (
        <IconButton
          small
          icon={RotateCcw}
          label={t('uploads.retry', { name: file.name })}
          onClick={() => uploads.retry(key)}
        />
      )}
      <IconButton
        small
        icon={X}
        label={error ? t('uploads.remove', { name: file.name }) : t('uploads.cancel', { name: file.name })}
        onClick={() => uploads.remove(key)}
      />
    </li>
  )
}
