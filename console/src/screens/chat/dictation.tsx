import type { Transcript } from '@parley/client/schemas'
import { LoaderCircle, Mic, Square } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { upload } from '../../api/client.ts'
import { translator } from '../../messages/index.ts'
import { useHere } from '../../shell/organization.tsx'
import { IconButton } from '../../ui/button.tsx'
import { useNotify } from '../../ui/toast.tsx'

const t = translator('chat')

/** Maximum length of a recording. Ends recordings that users forgot to stop. */
const RECORDING_MS_MAX = 300_000
const TYPES = ['audio/webm', 'audio/mp4', 'audio/ogg']
const LANGUAGES = ['en-US', 'en-GB', 'es-ES', 'fr-FR', 'de-DE', 'it-IT', 'pt-BR', 'ja-JP', 'ko-KR', 'zh-CN']

type State = 'idle' | 'recording' | 'transcribing'
const ICONS = { idle: Mic, recording: Square, transcribing: LoaderCircle }

/** A button that records speech and passes on its transcript. Hidden in browsers that cannot record. */
export function Dictation({ onText }: { onText: (text: string) => void }) {
  const { organization } = useHere()
  const notify = useNotify()
  const [state, setState] = useState<State>('idle')
  const recorder = useRef<MediaRecorder>(null)
  useEffect(() => () => recorder.current?.stop(), [])
  if (!canRecord()) return null

  const transcribe = async (recording: Blob) => {
    setState('transcribing')
    try {
      const { text } = await upload<Transcript>('/api/chat/transcribe', {
        query: { org_id: organization.id, language: languageOf(navigator.language) },
        file: new File([recording], 'dictation', { type: recording.type }),
      })
      if (text.trim() === '') notify(t('dictation.silent'))
      else onText(text.trim())
    } catch (error) {
      notify(error as Error)
    } finally {
      setState('idle')
    }
  }
  const begin = async () => {
    try {
      recorder.current = await record((recording) => void transcribe(recording))
      setState('recording')
    } catch {
      notify({ text: t('dictation.blocked'), failed: true })
    }
  }
  return (
    <IconButton
      icon={ICONS[state]}
      label={t(`dictation.${state}`)}
      aria-pressed={state === 'recording'}
      disabled={state === 'transcribing'}
      onClick={() => (state === 'recording' ? recorder.current?.stop() : void begin())}
    />
  )
}

const canRecord = (): boolean =>
  'mediaDevices' in navigator && typeof MediaRecorder !== 'undefined' && typeOf() !== undefined

const typeOf = (): string | undefined => TYPES.find((type) => MediaRecorder.isTypeSupported(type))

/**
 * Starts recording. Calls `onEnd` with the audio when the recorder is stopped, at the latest after
 * `RECORDING_MS_MAX`.
 */
async function record(onEnd: (recording: Blob) => void): Promise<MediaRecorder> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const mimeType = typeOf() ?? ''
  const recorder = new MediaRecorder(stream, { mimeType })
  const parts: Blob[] = []
  const clock = setTimeout(() => recorder.stop(), RECORDING_MS_MAX)
  recorder.ondataavailable = ({ data }) => parts.push(data)
  recorder.onstop = () => {
    clearTimeout(clock)
    for (const track of stream.getTracks()) track.stop()
    onEnd(new Blob(parts, { type: mimeType }))
  }
  recorder.start()
  return recorder
}

/**
 * Returns the transcription language for a locale. Prefers an exact match to a different region of the same language.
 * Returns undefined if the language is not supported.
 */
const languageOf = (own: string): string | undefined =>
  LANGUAGES.find((one) => one === own) ?? LANGUAGES.find((one) => one.slice(0, 2) === own.slice(0, 2))
