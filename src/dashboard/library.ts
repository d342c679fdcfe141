/** The scenarios that come with the program and hold behaviors, read when somebody first looks at them. */
import { readdir, readFile } from 'node:fs/promises'
import { parseScenario } from '../scenario-file/read.ts'
import type { BehaviorExample } from './behaviors.tsx'

export type Library = () => Promise<BehaviorExample[]>

export function openLibrary(folder: URL): Library {
  let lessons: Promise<BehaviorExample[]> | undefined
  return () => {
    lessons ??= readLessons(folder)
    return lessons
  }
}

async function readLessons(folder: URL): Promise<BehaviorExample[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml'))
  const lessons = await Promise.all(files.map((file) => readLesson(folder, file)))
  return lessons
    .filter((lesson) => lesson !== undefined)
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

async function readLesson(folder: URL, file: string): Promise<BehaviorExample | undefined> {
  const yaml = await readFile(new URL(file, folder), 'utf8')
  const { name, why, behaviors = [] } = parseScenario(yaml, file)
  return behaviors.length === 0 ? undefined : { file, name, why, yaml }
}
