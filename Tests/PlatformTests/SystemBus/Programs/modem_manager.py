"""ModemManager as far as one needs it, for python-dbusmock: a modem that comes and goes, a SIM with a PIN, registration,
data connections, text messages and calls. Names and numbers are those of ModemManager's D-Bus reference.

Run with: python3 -m dbusmock --template modem_manager.py"""

import dbus
from dbusmock import MOCK_IFACE, mockobject
from gi.repository import GLib

BUS_NAME = "org.freedesktop.ModemManager1"
MAIN_OBJ = "/org/freedesktop/ModemManager1"
MAIN_IFACE = BUS_NAME
SYSTEM_BUS = True
IS_OBJECT_MANAGER = True

MODEM = BUS_NAME + ".Modem"
GPP = MODEM + ".Modem3gpp"
SIMPLE = MODEM + ".Simple"
MESSAGING = MODEM + ".Messaging"
SIM = BUS_NAME + ".Sim"
BEARER = BUS_NAME + ".Bearer"
SMS = BUS_NAME + ".Sms"
VOICE = MODEM + ".Voice"
CALL = BUS_NAME + ".Call"

LOCKED, DISABLED, REGISTERED, CONNECTED = 2, 3, 8, 11
NO_LOCK, PIN, PUK = 1, 2, 4
HOME = 1


class Fault(dbus.exceptions.DBusException):
    def __init__(self, name, words):
        super().__init__(words, name=BUS_NAME + ".Error." + name)


def load(mock, parameters):
    mock.heard = []
    mock.faults = {}
    mock.serial = 0
    mock.modem = None
    mock.pin = ""
    mock.tries = 3
    mock.lying = []
    mock.sound = {"AudioPort": ""}
    mock.called = lambda name, *words: called(mock, name, *words)
    mock.send_pin = lambda pin: send_pin(mock, pin)
    mock.enable = lambda on: enable(mock, on)
    mock.connect = lambda wishes: connect(mock, wishes)
    mock.disconnect = lambda: disconnect(mock)
    mock.reset = lambda: reset(mock)
    mock.create = lambda wishes: create(mock, wishes)
    mock.delete = lambda path: delete(mock, path)
    mock.create_call = lambda wishes: create_call(mock, wishes)
    mock.delete_call = lambda path: delete_call(mock, path)
    mock.AddMethod(MAIN_IFACE, "ScanDevices", "", "", "self.called('ScanDevices')")


def called(mock, name, *words):
    """Notes a call; raises what the test has ordered for it."""
    mock.heard.append(" ".join([name, *[str(word) for word in words]]))
    if name in mock.faults:
        raise Fault(*mock.faults.pop(name))


def unsigned(number):
    return dbus.UInt32(number)


def retries(mock):
    return dbus.Dictionary({unsigned(PIN): unsigned(mock.tries), unsigned(PUK): unsigned(10)}, signature="uu")


def modem_object(mock):
    if mock.modem is None:
        raise Fault("Core.NotFound", "no modem")
    return mockobject.objects[mock.modem]


def update(thing, interface, properties):
    """As UpdateProperties, which takes no structures and dictionaries in some releases."""
    thing.props[interface].update(properties)
    changed = dbus.Dictionary(properties, signature="sv")
    thing.EmitSignal(
        dbus.PROPERTIES_IFACE, "PropertiesChanged", "sa{sv}as", [interface, changed, dbus.Array([], signature="s")])


def set_modem(mock, **properties):
    update(modem_object(mock), MODEM, properties)


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def ModemAppears(self, pin):
    """With a PIN the SIM is locked, unless it was opened since the modem had power."""
    self.pin = pin
    self.serial += 1
    path = f"{MAIN_OBJ}/Modem/{self.serial}"
    sim = f"{MAIN_OBJ}/SIM/{self.serial}"
    self.AddObject(
        sim, SIM, {"Active": True}, [("SendPin", "s", "", "self.object_manager.send_pin(args[0])")])
    self.AddObject(
        path,
        MODEM,
        {
            "Manufacturer": "QUECTEL",
            "Model": "EC25\x1b[31m",
            "State": dbus.Int32(LOCKED if pin else DISABLED),
            "StateFailedReason": unsigned(0),
            "UnlockRequired": unsigned(PIN if pin else NO_LOCK),
            "UnlockRetries": retries(self),
            "SignalQuality": dbus.Struct((unsigned(0), False), signature="ub"),
            "AccessTechnologies": unsigned(0),
            "Sim": dbus.ObjectPath(sim),
            "Bearers": dbus.Array([], signature="o"),
        },
        [
            ("Enable", "b", "", "self.object_manager.enable(args[0])"),
            ("Reset", "", "", "self.object_manager.reset()"),
        ],
    )
    modem = mockobject.objects[path]
    modem.AddProperties(GPP, {"RegistrationState": unsigned(0), "OperatorName": ""})
    modem.AddMethods(
        SIMPLE,
        [
            ("Connect", "a{sv}", "o", "ret = self.object_manager.connect(args[0])"),
            ("Disconnect", "o", "", "self.object_manager.disconnect()"),
        ],
    )
    modem.AddProperties(MESSAGING, {"Messages": dbus.Array(self.lying, signature="o")})
    modem.AddMethods(
        MESSAGING,
        [
            ("Create", "a{sv}", "o", "ret = self.object_manager.create(args[0])"),
            ("Delete", "o", "", "self.object_manager.delete(args[0])"),
        ],
    )
    modem.AddProperties(VOICE, {"Calls": dbus.Array([], signature="o"), "EmergencyOnly": False})
    modem.AddMethods(
        VOICE,
        [
            ("HangupAll", "", "", "self.object_manager.called('HangupAll')"),
            ("CreateCall", "a{sv}", "o", "ret = self.object_manager.create_call(args[0])"),
            ("DeleteCall", "o", "", "self.object_manager.delete_call(args[0])"),
        ],
    )
    self.modem = path
    self.object_manager_emit_added(path)


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="")
def ModemVanishes(self):
    path = modem_object(self).path
    self.object_manager_emit_removed(path)
    self.RemoveObject(path)
    self.modem = None


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="")
def BearerDrops(self):
    disconnect(self)


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def TextLiesThere(self, number, text):
    """To be called before the modem appears."""
    self.lying = [add_text(self, number, text, 3)]


@dbus.service.method(MOCK_IFACE, in_signature="ssu", out_signature="o")
def TextArrives(self, number, text, state):
    path = add_text(self, number, text, state)
    list_text(self, path)
    return path


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def TextCompletes(self, path, text):
    update(mockobject.objects[path], SMS, {"Text": text, "State": unsigned(3)})


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="")
def ReportArrives(self):
    list_text(self, add_text(self, "+431", "", 3, kind=3))


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="ao")
def Texts(self):
    return modem_object(self).props[MESSAGING]["Messages"]


@dbus.service.method(MOCK_IFACE, in_signature="iu", out_signature="")
def CallChanges(self, state, reason):
    """Of the newest call. State: active 4, terminated 7. Reason: accepted 3, terminated 4, busy 5, error 6."""
    call = mockobject.objects[self.call]
    old = call.props[CALL]["State"]
    update(call, CALL, {"State": dbus.Int32(state), "StateReason": dbus.Int32(reason)})
    call.EmitSignal(CALL, "StateChanged", "iiu", [old, dbus.Int32(state), unsigned(reason)])


@dbus.service.method(MOCK_IFACE, in_signature="ss", out_signature="")
def SoundGoesTo(self, port, resolution):
    """In the calls that are created from now on. Without a resolution there is nothing told of the form."""
    if not resolution:
        self.sound = {"AudioPort": port}
        return
    form = {"encoding": "pcm", "resolution": resolution, "rate": unsigned(8000)}
    self.sound = {"AudioPort": port, "AudioFormat": dbus.Dictionary(form, signature="sv")}


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def SoundIsSetUp(self, port):
    """Of the newest call, only now."""
    update(mockobject.objects[self.call], CALL, {"AudioPort": port})


@dbus.service.method(MOCK_IFACE, in_signature="s", out_signature="")
def KeyComes(self, key):
    mockobject.objects[self.call].EmitSignal(CALL, "DtmfReceived", "s", [key])


@dbus.service.method(MOCK_IFACE, in_signature="sss", out_signature="")
def FailNext(self, call, name, words):
    self.faults[call] = (name, words)


@dbus.service.method(MOCK_IFACE, in_signature="", out_signature="as")
def Heard(self):
    return dbus.Array(self.heard, signature="s")


def send_pin(mock, pin):
    called(mock, "SendPin", pin)
    if pin != mock.pin:
        mock.tries -= 1
        set_modem(mock, UnlockRetries=retries(mock))
        raise Fault("MobileEquipment.IncorrectPassword", f"Incorrect password {pin}")
    mock.tries = 3
    set_modem(
        mock, UnlockRequired=unsigned(NO_LOCK), UnlockRetries=retries(mock), State=dbus.Int32(DISABLED))


def enable(mock, on):
    called(mock, "Enable", bool(on))
    set_modem(
        mock,
        State=dbus.Int32(REGISTERED),
        SignalQuality=dbus.Struct((unsigned(71), True), signature="ub"),
        AccessTechnologies=unsigned(1 << 14),
    )
    update(modem_object(mock), GPP, {"RegistrationState": unsigned(HOME), "OperatorName": "Telekom\u202e.de"})


def connect(mock, wishes):
    called(mock, "Connect", *[f"{name}={wishes[name]}" for name in sorted(wishes)])
    mock.serial += 1
    path = f"{MAIN_OBJ}/Bearer/{mock.serial}"
    mock.AddObject(
        path,
        BEARER,
        {
            "Connected": True,
            "Interface": "wwan0",
            "Ip4Config": dbus.Dictionary(
                {
                    "method": unsigned(2),
                    "address": "10.65.1.2",
                    "prefix": unsigned(30),
                    "gateway": "10.65.1.1",
                    "dns1": "10.74.210.210",
                    "dns2": "10.74.210.211",
                    "mtu": unsigned(1430),
                },
                signature="sv",
            ),
            "Ip6Config": dbus.Dictionary({"method": unsigned(0)}, signature="sv"),
        },
        [],
    )
    set_modem(mock, Bearers=dbus.Array([dbus.ObjectPath(path)], signature="o"), State=dbus.Int32(CONNECTED))
    mock.bearer = path
    return dbus.ObjectPath(path)


def disconnect(mock):
    called(mock, "Disconnect")
    no_addresses = dbus.Dictionary({"method": unsigned(0)}, signature="sv")
    bearer = mockobject.objects[mock.bearer]
    update(bearer, BEARER, {"Connected": False, "Interface": "", "Ip4Config": no_addresses})
    set_modem(mock, State=dbus.Int32(REGISTERED))


def reset(mock):
    called(mock, "Reset")

    def again():
        ModemVanishes(mock)
        GLib.timeout_add(200, lambda: ModemAppears(mock, mock.pin))

    GLib.timeout_add(50, again)


def create(mock, wishes):
    called(mock, "Create", wishes["number"], wishes["text"])
    path = add_text(mock, wishes["number"], wishes["text"], 1, kind=2)
    list_text(mock, path)
    return path


def add_text(mock, number, text, state, kind=1):
    """State: stored 1, receiving 2, received 3. Kind: deliver 1, submit 2, status report 3."""
    mock.serial += 1
    path = f"{MAIN_OBJ}/SMS/{mock.serial}"
    mock.AddObject(
        path,
        SMS,
        {"State": unsigned(state), "PduType": unsigned(kind), "Number": number, "Text": text},
        [("Send", "", "", f"self.object_manager.called('Send', '{number}')")],
    )
    return dbus.ObjectPath(path)


def texts(mock):
    return list(modem_object(mock).props[MESSAGING]["Messages"])


def set_texts(mock, paths):
    update(modem_object(mock), MESSAGING, {"Messages": dbus.Array(paths, signature="o")})


def list_text(mock, path):
    set_texts(mock, [*texts(mock), path])
    modem_object(mock).EmitSignal(MESSAGING, "Added", "ob", [path, True])


def delete(mock, path):
    called(mock, "Delete", path.rsplit("/", 2)[1])
    set_texts(mock, [other for other in texts(mock) if other != path])
    mock.RemoveObject(path)
    modem_object(mock).EmitSignal(MESSAGING, "Deleted", "o", [path])


def create_call(mock, wishes):
    number = wishes["number"]
    called(mock, "CreateCall", number)
    mock.serial += 1
    mock.call = f"{MAIN_OBJ}/Call/{mock.serial}"
    mock.AddObject(
        mock.call,
        CALL,
        {"State": dbus.Int32(0), "StateReason": dbus.Int32(0), "Number": number, **mock.sound},
        [
            ("Start", "", "", f"self.object_manager.called('Start', '{number}')"),
            ("Hangup", "", "", "self.object_manager.called('Hangup')"),
            ("SendDtmf", "s", "", "self.object_manager.called('SendDtmf', args[0])"),
        ],
    )
    return dbus.ObjectPath(mock.call)


def delete_call(mock, path):
    called(mock, "DeleteCall")
    mock.RemoveObject(path)
