import { ParleyError } from '@parley/client'
import type { Tool } from '@parley/client/schemas'
import { lazy, Suspense, useState } from 'react'
import { translator } from '../../messages/index.ts'
import { loadChunk } from '../../ui/chunks.ts'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Failure, Skeleton } from '../../ui/states.tsx'
import { lineOf } from './error-line.ts'
import { EXAMPLES, isExample, LANGUAGE_NAMES, type Language, languageOf } from './languages.ts'
import type { ToolPart } from './tool-part.ts'

const t = translator('tools')

/** Loaded in a separate chunk, because the editor is as large as the rest of the console. */
const CodeEditor = lazy(() => loadChunk(() => import('./code-editor.tsx')))

interface CodeSectionProps extends ToolPart {
  /** The error of the last save. Null if there is none. */
  error: Error | null
  isReadOnly: boolean
}

export function CodeSection({ tool, edit, error, isReadOnly }: CodeSectionProps) {
  const language = languageOf(tool)
  const { settings } = tool
  const { function_info: info } = settings
  const code = info.code ?? ''
  const refusal = error instanceof ParleyError && error.code === 'tool.code_invalid' ? error : null
  const setInfo = (part: Partial<typeof info>) =>
    edit({ settings: { ...settings, function_info: { ...info, ...part } } })
  return (
    <Section title={t('code.title')} description={hintOf(tool)}>
      <Shape tool={tool} edit={edit} />
      <Suspense fallback={<Skeleton className="h-[27rem]" />}>
        <CodeEditor
          language={language}
          code={code}
          onCode={(text) => setInfo({ code: text })}
          isReadOnly={isReadOnly}
          wrongLine={refusal && lineOf(refusal.message)}
        />
      </Suspense>
      {refusal && <Failure error={refusal} />}
      {!settings.deployment.toolkit_class && (
        <TextField
          label={t('code.description')}
          hint={t('code.descriptionHint')}
          maxLength={5_000}
          value={info.description}
          onChange={({ target }) => setInfo({ description: target.value })}
        />
      )}
      {(language === 'python' || settings.requirements.length > 0) && (
        <Requirements tool={tool} edit={edit} />
      )}
    </Section>
  )
}

function hintOf(tool: Tool): string {
  if (tool.settings.deployment.toolkit_class) return t('code.classHint')
  return languageOf(tool) === 'python' ? t('code.pythonHint') : t('code.functionHint')
}

/** Fields for the language of the code, and for the name of the function or class that the code defines. */
function Shape({ tool, edit }: ToolPart) {
  const { settings } = tool
  const { function_info: info, deployment } = settings
  const language = languageOf(tool)
  const setLanguage = (framework: Language) =>
    edit({
      settings: {
        ...settings,
        deployment: { ...deployment, framework },
        function_info: isExample(info.code ?? '') ? { ...info, code: EXAMPLES[framework] } : info,
      },
    })
  const setClass = (toolkit_class: boolean) =>
    edit({
      settings: {
        ...settings,
        deployment: { ...deployment, toolkit_class, standalone_function: !toolkit_class },
      },
    })
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <SelectField
        label={t('code.language')}
        value={language}
        onChange={({ target }) => setLanguage(target.value as Language)}
      >
        {Object.entries(LANGUAGE_NAMES).map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={t('code.structure')}
        value={deployment.toolkit_class ? 'class' : 'function'}
        onChange={({ target }) => setClass(target.value === 'class')}
      >
        <option value="function">{t('code.function')}</option>
        <option value="class">{t('code.class')}</option>
      </SelectField>
      <TextField
        label={deployment.toolkit_class ? t('code.className') : t('code.functionName')}
        required
        maxLength={64}
        pattern="(?!__)[A-Za-z_][A-Za-z0-9_]*"
        title={t('code.nameFormat')}
        spellCheck={false}
        className="font-mono text-sm"
        value={info.name}
        onChange={({ target }) =>
          edit({ settings: { ...settings, function_info: { ...info, name: target.value } } })
        }
      />
    </div>
  )
}

function Requirements({ tool: { settings }, edit }: ToolPart) {
  const joined = settings.requirements.join(', ')
  const [text, setText] = useState(joined)
  // Show the typed text as long as it describes the current list. After discarding, show the saved list.
  const shown = listOf(text).join() === settings.requirements.join() ? text : joined
  return (
    <TextField
      label={t('code.packages')}
      hint={t('code.packagesHint')}
      spellCheck={false}
      className="font-mono text-sm"
      value={shown}
      onChange={({ target }) => {
        setText(target.value)
        edit({ settings: { ...settings, requirements: listOf(target.value) } })
      }}
    />
  )
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
