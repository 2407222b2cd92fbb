// What a test may ask the page: window.cleave. Read-only, so that nothing works only because a test is looking.

import { Vector3 } from "three";
import { FACE_WORDS } from "./protocol/frame";
import type { Session } from "./model/session";
import type { Stage } from "./scene/stage";

export function exposeHook(session: Session, stage: Stage): void {
  const place = (body: number, point: number) => new Vector3().fromArray(session.bodies[body].points, point * 3);
  Object.assign(window, {
    cleave: {
      hello: () => session.hello,
      clock: () => session.clock,
      news: () => session.news,
      isOpen: () => session.link.isOpen,
      framesReceived: () => session.framesReceived,
      framesDrawn: () => stage.framesDrawn,
      painter: () => stage.painter.name,
      isSharp: () => stage.isSharp,
      layer: () => Math.max(...session.bodies.map((body) => (body.layers[1].slots > 0 ? 1 : 0))),
      faces: (body = 0) => session.bodies[body].layers[0].count(),
      held: (body = 0) => session.bodies[body].held.length,
      box: (body = 0) => session.bodies[body].box(),
      // How low a body hangs between two places along x.
      lowest: (from: number, to: number, body = 0) => {
        const { points, layers } = session.bodies[body];
        let least = Infinity;
        for (let slot = 0; slot < layers[0].slots; slot++) {
          if (layers[0].isEmpty(slot)) continue;
          for (let corner = 0; corner < 3; corner++) {
            const p = layers[0].faces[slot * FACE_WORDS + corner] * 3;
            if (points[p] >= from && points[p] <= to) least = Math.min(least, points[p + 2]);
          }
        }
        return least;
      },
      place: (body: number, point: number) => place(body, point).toArray(),
      onScreen: (at: [number, number, number]) => stage.project(new Vector3(...at)),
      camera: () => ({ azimuth: stage.orbit.azimuth, polar: stage.orbit.polar, distance: stage.orbit.distance }),
      darts: () => stage.darts.picked?.darts.length ?? 0,
      interrupt: () => session.link.interrupt(),
    },
  });
}
