"""Trainings whose session is lost: what goes on, where it begins again, and what is handed on."""

import pytest
import tfbuild_runtime.compat.v1 as tf

T = tf.train


def counting_model():
    w = tf.get_variable("w", initializer=1.0)
    optimizer = T.GradientDescentOptimizer(0.1)
    return optimizer.minimize(w**2, global_step=T.get_or_create_global_step())


class Losing(T.SessionRunHook):
    """Raises an error behind its third step, and notes the sessions that it meets."""

    def __init__(self, error):
        self.error, self.steps, self.sessions = error, 0, []

    def after_create_session(self, session, coord):
        self.sessions.append(session)

    def after_run(self, context, values):
        self.steps += 1
        if self.steps == 3:
            raise self.error(None, None, "lost")


LOSSES = [tf.errors.AbortedError, tf.errors.UnavailableError]


def recovering(folder, *hooks):
    return T.MonitoredTrainingSession(
        checkpoint_dir=folder, hooks=hooks, save_checkpoint_steps=2, save_summaries_steps=3
    )


@pytest.mark.parametrize("error", LOSSES)
@pytest.mark.parametrize("is_saved", [True, False])
def test_a_lost_session_is_made_anew_and_goes_on(error, is_saved, tmp_path):
    fetches = [counting_model(), T.get_global_step()]
    hook, steps = Losing(error), []
    with recovering(str(tmp_path) if is_saved else None, hook,
                    T.StopAtStepHook(last_step=6)) as session:  # fmt: skip
        while not session.should_stop():
            session.run(fetches[0])
            steps.append(int(session.raw_session().run(fetches[1])))
        assert session.raw_session() is hook.sessions[1]
    # The step that was lost is made again, from the checkpoint or from the first values.
    assert steps == ([1, 2, 3, 4, 5, 6] if is_saved else [1, 2, 1, 2, 3, 4, 5, 6])
    assert len(hook.sessions) == 2


def test_a_function_of_a_step_begins_again_with_the_new_session(tmp_path):
    train, hook, seen = counting_model(), Losing(tf.errors.AbortedError), []

    def step(step_context):
        seen.append(step_context.session)
        step_context.run_with_hooks(train)
        return int(step_context.session.run("global_step:0"))

    with recovering(str(tmp_path), hook) as session:
        assert [session.run_step_fn(step) for _ in range(4)] == [1, 2, 3, 4]
    first, second = hook.sessions
    assert seen == [first] * 3 + [second] * 2


class Keeping(T.SessionRunHook):
    """Fails, when it is asked to, as a step does whose queue a thread has closed at a loss."""

    def __init__(self, error):
        self.error, self.fails = error, False

    def after_create_session(self, session, coord):
        self.coord = coord

    def before_run(self, context):
        if self.fails:
            self.fails = False
            self.coord.request_stop(self.error(None, None, "lost"))
            raise tf.errors.CancelledError(None, None, "closed")


@pytest.mark.parametrize("error", LOSSES)
def test_a_loss_in_a_thread_is_met_by_should_stop_and_by_run(error, tmp_path):
    train, hook = counting_model(), Keeping(error)
    with recovering(str(tmp_path), hook) as session:
        session.run(train)
        session.run(train)
        first, raw = hook.coord, session.raw_session()
        first.request_stop(error(None, None, "lost"))
        assert not session.should_stop()
        assert hook.coord is not first and session.raw_session() is not raw
        hook.fails = True
        session.run(train)
        assert session.raw_session().run("global_step:0") == 3
        hook.coord.request_stop(ValueError("wrong"))
        assert session.should_stop()
        hook.coord.clear_stop()


def test_a_session_that_is_made_at_once_hands_a_loss_on(tmp_path):
    train, hook = counting_model(), Losing(tf.errors.AbortedError)
    made = T.SingularMonitoredSession([hook], checkpoint_dir=str(tmp_path))
    with pytest.raises(tf.errors.AbortedError), made as session:
        while True:
            session.run(train)
    assert hook.steps == 3


def test_a_session_that_is_made_at_once_hands_on_what_a_thread_met_first():
    train, hook = counting_model(), Keeping(tf.errors.UnavailableError)
    hook.fails = True
    made = T.SingularMonitoredSession([hook])
    with pytest.raises(tf.errors.UnavailableError, match="lost"), made as session:
        session.run(train)


def test_a_session_that_is_lost_while_it_begins_is_made_anew():
    class Beginning(T.SessionRunHook):
        calls = 0

        def after_create_session(self, session, coord):
            self.calls += 1
            if self.calls < 3:
                raise tf.errors.UnavailableError(None, None, "not yet")

    train, hook = counting_model(), Beginning()
    with T.MonitoredSession(hooks=[hook]) as session:
        session.run(train)
    assert hook.calls == 3


def test_the_state_file_of_a_stranger_s_folder_deletes_nothing(tmp_path):
    folder, mine = tmp_path / "theirs", tmp_path / "mine"
    mine.mkdir()
    train, saver = counting_model(), T.Saver(max_to_keep=1)
    scaffold = T.Scaffold(saver=T.Saver(max_to_keep=1))
    with T.MonitoredTrainingSession(checkpoint_dir=str(folder), save_checkpoint_steps=1) as session:
        session.run(train)
    with tf.Session() as session:
        saver.restore(session, T.latest_checkpoint(str(folder)))
        saver.save(session, str(mine / "model"), write_state=False, write_meta_graph=False)
    (mine / "notes").write_text("by hand")
    (folder / "notes").write_text("no checkpoint either")
    before = sorted(path.name for path in mine.iterdir())
    state = T.get_checkpoint_state(str(folder))
    named = [str(mine / "model"), str(mine / "notes"), "../mine/notes", "notes"]
    T.update_checkpoint_state(str(folder), state.model_checkpoint_path,
                              [*named, state.model_checkpoint_path])  # fmt: skip
    with T.MonitoredTrainingSession(
        checkpoint_dir=str(folder), save_checkpoint_steps=1, scaffold=scaffold
    ) as session:
        for _ in range(3):
            session.run(train)
    assert sorted(path.name for path in mine.iterdir()) == before
    assert (folder / "notes").read_text() == "no checkpoint either"
    assert not (folder / "model.ckpt-1.index").exists(), "its own old ones are gone"
